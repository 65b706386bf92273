/**
 * The rules of time zones as this Node knows them, and where PostgreSQL knows others: each brings data of its own, of
 * different age. Node's decide, since quiet hours, days and digests are computed with them for every message; PostgreSQL is
 * given those that differ, for send_at_local.
 */
import { TIME_ZONES } from '@carillon/contract'
import type { Executor } from '../database/pool.ts'
import { createOffsetReader } from './local-time.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** No offset has ever been for a shorter time in the years that matter. */
const STEP_MS = 21 * DAY_MS
const COMPARED_YEARS = 5
const COMPARED_MS = COMPARED_YEARS * 365 * DAY_MS
const GIVEN_YEARS = 25

/** From `at` on, clocks are this far ahead of UTC. */
export interface OffsetChange {
  at: number
  offset: number
}

export interface RuleDifferences {
  /** Zones of which PostgreSQL knew other rules; it has been given those of this Node. */
  given: string[]
  /** Zones of which another process with newer data has given other rules: this Node is out of date. */
  outdated: string[]
}

/** The first entry is the offset at `from`. */
export function changesOf(zone: string, from: number, to: number): OffsetChange[] {
  const offsetAt = createOffsetReader(zone)
  const changes = [{ at: from, offset: offsetAt(from) }]
  for (let low = from; low < to; low += STEP_MS) {
    const offset = offsetAt(low + STEP_MS)
    if (offset === changes.at(-1)!.offset) continue
    changes.push({ at: firstMinuteOf(offset, low, low + STEP_MS, offsetAt), offset })
  }
  return changes.filter(({ at }) => at < to)
}

/** `rules` is for tests; the default is this Node's. */
export async function shareZoneRules(
  db: Executor,
  tzVersion: string,
  now: Date,
  rules: typeof changesOf = changesOf,
): Promise<RuleDifferences> {
  const from = firstMomentOf(now)
  const ofYears = (zone: string, years: number) => rules(zone, from, from + years * 365 * DAY_MS)
  const differing = await selectDiffering(
    db,
    TIME_ZONES.map(zone => ({ zone, probes: probesOf(ofYears(zone, COMPARED_YEARS), from) })),
  )
  const given: string[] = []
  for (const zone of differing) {
    if (await upsertRules(db, zone, tzVersion, ofYears(zone, GIVEN_YEARS))) given.push(zone)
  }
  return { given, outdated: differing.filter(zone => !given.includes(zone)) }
}

/**
 * Zones for which the rules that the database uses, its own or those it was given, are not this Node's. Finding out takes a
 * good part of a second, so that requests have their turn in between.
 */
export async function findDifferingZones(db: Executor, now: Date): Promise<string[]> {
  const from = firstMomentOf(now)
  const zones = []
  for (const zone of TIME_ZONES) {
    zones.push({ zone, probes: probesOf(changesOf(zone, from, from + COMPARED_MS), from) })
    await new Promise(resolve => setImmediate(resolve))
  }
  return selectDiffering(db, zones)
}

function firstMomentOf(now: Date): number {
  return Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS - DAY_MS
}

/** Moments at which a clock with other rules would show another time: around each change, and in between. */
function probesOf(changes: OffsetChange[], from: number): OffsetChange[] {
  const end = from + COMPARED_MS
  return changes.flatMap(({ at, offset }, i) => {
    const until = changes[i + 1]?.at ?? end
    const probes = [{ at, offset }]
    for (let between = at + STEP_MS; between < until; between += 2 * STEP_MS)
      probes.push({ at: between, offset })
    return [...probes, { at: until - MINUTE_MS, offset }]
  })
}

function firstMinuteOf(offset: number, from: number, to: number, offsetAt: (at: number) => number): number {
  let [low, high] = [from, to]
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS
    if (offsetAt(middle) === offset) high = middle
    else low = middle
  }
  return high
}

async function selectDiffering(
  db: Executor,
  zones: { zone: string; probes: OffsetChange[] }[],
): Promise<string[]> {
  const { rows } = await db.query<{ zone: string }>(
    `select z.zone from jsonb_to_recordset($1::jsonb) as z (zone text, at float8[], seconds integer[])
     where exists (
       select from unnest(z.at, z.seconds) as probe (at, seconds)
       where zone_offset(z.zone, to_timestamp(probe.at)) is distinct from make_interval(secs => probe.seconds))
     order by z.zone`,
    [
      JSON.stringify(
        zones.map(({ zone, probes }) => ({
          zone,
          at: probes.map(({ at }) => at / 1000),
          seconds: probes.map(({ offset }) => offset / 1000),
        })),
      ),
    ],
  )
  return rows.map(row => row.zone)
}

/** Newer data wins over older, whichever process starts last. Returns whether these rules are the ones that count now. */
async function upsertRules(
  db: Executor,
  zone: string,
  tzVersion: string,
  changes: OffsetChange[],
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into time_zones as z (zone, tz_version, changes, offsets)
     values ($1, $2, array(select to_timestamp(at) from unnest($3::float8[]) with ordinality as a (at, n) order by n), $4)
     on conflict (zone) do update set tz_version = excluded.tz_version, changes = excluded.changes,
       offsets = excluded.offsets, updated_at = now()
     where z.tz_version <= excluded.tz_version`,
    [zone, tzVersion, changes.map(({ at }) => at / 1000), changes.map(({ offset }) => offset / 1000)],
  )
  return rowCount === 1
}
