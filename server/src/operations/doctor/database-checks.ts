/** What the doctor looks at in PostgreSQL. */
import { readState, readVersion, standingOf } from '../../platform/database/release.ts'
import { bad, type Check, fine, graded, type Patient, sizeOf, spanOf, type Verdict, warn } from './patient.ts'
import { selectBloat, selectClock, selectHorizon, selectServer, type TableRow } from './queries.ts'

export const release: Check = {
  name: 'release',
  async look({ pool }) {
    const version = await readVersion()
    const state = await readState(pool)
    const own = `release ${version.release.number}`
    const there = state.release === undefined ? 'no release' : `release ${state.release.number}`
    switch (standingOf(version, state)) {
      case 'current':
        return fine(`The database has ${own}, as this version does.`)
      case 'newer':
        return warn(
          `The database has ${there}, this version is ${own}.`,
          'Finish the upgrade: update this one too.',
        )
      case 'older':
        return bad(
          `The database has ${there}, this version brings ${own}.`,
          'Run carillon migrate, or start Carillon.',
        )
      case 'too_new':
        return bad(
          `The database has ${there}, with which ${own} cannot work.`,
          'Install the newer version here.',
        )
    }
  },
}

export const server: Check = {
  name: 'server',
  async look({ pool }) {
    const row = await selectServer(pool)
    const verdicts: Verdict[] = [
      fine(`PostgreSQL ${row.version}, ${sizeOf(row.size_bytes)} in this database.`),
    ]
    if (row.is_standby)
      verdicts.push(bad('The server is a standby and only reads.', 'Point DATABASE_URL at the primary.'))
    if (row.fsync === 'off' || row.full_page_writes === 'off')
      verdicts.push(
        bad(
          'A crash of the machine may lose or destroy data: fsync or full_page_writes is off.',
          'Switch both on, and reload the server.',
        ),
      )
    if (row.synchronous_commit === 'off')
      verdicts.push(
        warn(
          'Commits are not waited for.',
          'Set synchronous_commit = on: an accepted intent must survive a crash.',
        ),
      )
    if (row.frozen_age > 1_000_000_000)
      verdicts.push(
        graded(
          row.frozen_age,
          { warn: 1_000_000_000, bad: 1_800_000_000 },
          `The oldest transaction id is ${Math.round(row.frozen_age / 1e6)} million transactions old.`,
          'Find out what keeps VACUUM from freezing: an open transaction, a replication slot, or autovacuum being off.',
        ),
      )
    return verdicts
  },
}

export const connections: Check = {
  name: 'connections',
  async look({ pool }) {
    const row = await selectServer(pool)
    const share = row.connections / row.max_connections
    return graded(
      share,
      { warn: 0.8, bad: 0.95 },
      `${row.connections} of ${row.max_connections} connections are in use.`,
      'Raise max_connections, lower CARILLON_DATABASE_POOL, or find out which program opens so many.',
    )
  },
}

/** Of several round trips, the shortest says most. */
export const clock: Check = {
  name: 'clock',
  async look({ pool, now }) {
    let best = { trip: Number.POSITIVE_INFINITY, skew: 0 }
    for (let n = 0; n < 3; n++) {
      const before = now()
      const { at } = await selectClock(pool)
      const trip = now() - before
      if (trip < best.trip) best = { trip, skew: at - (before + trip / 2) }
    }
    const seconds = Math.max(0, Math.abs(best.skew) - best.trip / 2) / 1000
    return graded(
      seconds,
      { warn: 2, bad: 60 },
      seconds < 2
        ? 'This machine and the database agree on the time.'
        : `The clocks of this machine and of the database are ${spanOf(seconds)} apart.`,
      'Let NTP set both clocks: signatures and tokens are checked by this machine’s.',
    )
  },
}

export const transactions: Check = {
  name: 'transactions',
  async look({ pool }) {
    const row = await selectHorizon(pool)
    const { sees_everybody } = await selectServer(pool)
    const whose = sees_everybody ? '' : ', as far as this role may see'
    const verdicts: Verdict[] = [
      graded(
        row.transaction_seconds,
        { warn: 300, bad: 3600 },
        row.transaction_seconds < 300
          ? `No transaction is open for long${whose}.`
          : `A transaction is open for ${spanOf(row.transaction_seconds)} (${row.transaction})${whose}.`,
        'End it: while it is open, nothing that was deleted or changed since can be cleaned up, and queues slow down.',
      ),
    ]
    if (row.prepared > 0)
      verdicts.push(
        graded(
          row.prepared_seconds,
          { warn: 0, bad: 600 },
          `${row.prepared} prepared transactions, the oldest for ${spanOf(row.prepared_seconds)}.`,
          'Commit or roll them back (pg_prepared_xacts names them): they hold locks even after a restart.',
        ),
      )
    if (row.idle_slots !== null || row.slot_bytes > 1024 ** 3)
      verdicts.push(
        graded(
          row.slot_bytes,
          { warn: 0, bad: 10 * 1024 ** 3 },
          `Replication slots keep ${sizeOf(row.slot_bytes)} of WAL${row.idle_slots === null ? '' : `; nobody reads ${row.idle_slots.join(', ')}`}.`,
          'Drop the slots that nobody reads any more (pg_drop_replication_slot): they fill the disk.',
        ),
      )
    return verdicts
  },
}

/** Fewer than these are cleaned up in a moment, however small the table is. */
const FEW_DEAD = 50_000

export const vacuum: Check = {
  name: 'vacuum',
  async look({ pool }: Patient) {
    const { autovacuum } = await selectServer(pool)
    if (autovacuum === 'off')
      return bad('Autovacuum is off.', 'Switch it on: queues slow down with every message otherwise.')
    const behind = (await selectBloat(pool)).filter(isBehind)
    if (behind.length === 0) return fine('Autovacuum keeps up with every table.')
    return behind.map(({ name, dead, live, vacuumed_seconds }) =>
      graded(
        dead / Math.max(live, FEW_DEAD),
        { warn: 0, bad: 2 },
        `${name} has ${Math.round(dead)} dead rows beside ${Math.round(live)} live ones; ${vacuumed_seconds === null ? 'it was never vacuumed' : `last vacuumed ${spanOf(vacuumed_seconds)} ago`}.`,
        `Look for an open transaction first. Then run VACUUM carillon.${name}, and lower its autovacuum_vacuum_scale_factor.`,
      ),
    )
  },
}

const isBehind = ({ dead, live }: TableRow) => dead > FEW_DEAD && dead > 0.4 * live
