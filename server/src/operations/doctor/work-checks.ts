/** What the doctor looks at in the work: whether it moves, what broke, and who does it. */
import { examineProviders } from '../../providers/provider-configs/reachability.ts'
import { examineInvariants } from '../invariants/examination.ts'
import { bad, type Check, fine, graded, spanOf, type Verdict, warn } from './patient.ts'
import { selectBacklog, selectLeases } from './queries.ts'

const LATE = { warn: 300, bad: 3600 }
/** A worker that lives extends its leases long before they end. */
const LEFT_SECONDS = 120
const MOST_PROVIDERS = 50

export const queues: Check = {
  name: 'queues',
  async look({ pool }) {
    const row = await selectBacklog(pool)
    const queue = (noun: string, seconds: number, role: string): Verdict =>
      graded(
        seconds,
        LATE,
        seconds < LATE.warn
          ? `No ${noun} is waiting for long.`
          : `The oldest due ${noun} waits for ${spanOf(seconds)}.`,
        `Start another process with the role ${role}, or find out what holds up the ones that run.`,
      )
    return [
      queue('message', row.routes_seconds, 'delivery'),
      queue('row of the outbox', row.outbox_seconds, 'dispatch'),
      row.open_letters === 0
        ? fine('No dead letter is open.')
        : warn(
            `${row.open_letters} dead letters are open.`,
            'carillon dead-letters shows why, and replays them.',
          ),
      row.open_events === 0
        ? fine('No serious system event is open.')
        : warn(
            `${row.open_events} serious system events of the last week are open.`,
            'carillon system-events lists them.',
          ),
    ]
  },
}

export const workers: Check = {
  name: 'workers',
  async look({ pool }) {
    const leases = await selectLeases(pool)
    const left = leases.filter(({ ended_seconds }) => ended_seconds > LEFT_SECONDS)
    const held = leases.filter(({ ended_seconds }) => ended_seconds <= 0)
    const verdicts = left.map(({ owner, rows, ended_seconds }) =>
      warn(
        `${owner} left ${rows} pieces of work ${spanOf(ended_seconds)} ago, and nobody has taken them over.`,
        'Start a process with the roles delivery and dispatch.',
      ),
    )
    const work = held.reduce((sum, { rows }) => sum + rows, 0)
    return [
      fine(
        held.length === 0
          ? 'Nobody works at this moment.'
          : `${held.length} workers hold ${work} pieces of work.`,
      ),
      ...verdicts,
    ]
  },
}

export const providers: Check = {
  name: 'providers',
  async look({ pool, keyring, guard, environment }) {
    const states = await examineProviders({ db: pool, keyring, guard, environment, limit: MOST_PROVIDERS })
    const broken = states.filter(({ problems }) => problems.length > 0)
    if (states.length === 0) return fine('No provider is set up; messages are captured.')
    if (broken.length === 0)
      return fine(
        `${states.length === 1 ? 'The provider' : `All ${states.length} providers`} can be reached.`,
      )
    return broken.map(({ name, channel, tenant_id, problems }) =>
      bad(
        `${name} (${channel}${tenant_id === null ? '' : `, tenant ${tenant_id}`}): ${problems.join('; ')}.`,
        'Check its settings and the service’s own status page, then send a test: carillon providers test.',
      ),
    )
  },
}

/** A whole walk takes minutes; longer than this, nobody walks. */
const STALE_SECONDS = 6 * 3600

export const invariants: Check = {
  name: 'invariants',
  async look({ pool, now }) {
    const { walkedAt, count, violations } = await examineInvariants(pool)
    const ago = walkedAt === null ? null : (now() - walkedAt.getTime()) / 1000
    const verdicts = violations.map(({ name, holds, advice, tenant_id, count: broken, oldest }) =>
      bad(
        `${holds} Not so for ${broken} (${name}, tenant ${tenant_id}), the oldest since ${oldest.since}: ${oldest.item}.`,
        advice,
      ),
    )
    if (ago === null || ago > STALE_SECONDS)
      verdicts.push(
        warn(
          ago === null
            ? 'The reconciler has not yet looked through every table.'
            : `The reconciler has last looked through every table ${spanOf(ago)} ago.`,
          'Start a process with the role maintenance, or wait until it is through.',
        ),
      )
    return verdicts.length > 0
      ? verdicts
      : fine(`All ${count} invariants hold; last looked through every table ${spanOf(ago ?? 0)} ago.`)
  },
}
