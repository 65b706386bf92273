/**
 * Proves in production that what was accepted ends. It walks through the tables in portions, by index and without locks, and
 * keeps what breaks an invariant as a suspicion. Each is looked at again until it is gone, or has been there unchanged for
 * as long as the invariant allows: then it is a violation, counted in the metrics and told to operators once per invariant
 * and tenant, until there is none left.
 *
 * Every statement sees one snapshot, so what one transaction writes together is never seen in part. Rows that commit late
 * look old when they appear; that is why no time in a row is enough, and a violation is always seen twice.
 */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import type { Walk } from './invariant.ts'
import { INVARIANTS } from './invariants.ts'
import {
  confirm,
  deleteKept,
  type FoundRow,
  type KeptRow,
  keepFound,
  lockWalk,
  moveWalk,
  planByIndex,
  selectAgain,
  selectKept,
  selectPortion,
  selectViolations,
  suspectAnew,
} from './queries.ts'

export const VIOLATED = 'invariant_violated'
const DAY_SECONDS = 86_400
/** Pause after a round, as a multiple of its duration: looking never takes more than a twentieth of one connection. */
const PAUSE_FACTOR = 20
const SHORTEST_PAUSE_MS = 1000

export interface ReconcilerOptions {
  pool: Pool
  walks: Walk[]
  /** A walk begins again at most this often. */
  intervalSeconds: number
  /** For tests: how much of the time is given that an invariant allows. */
  graceFactor?: number
}

/** One portion of every walk, and another look at what was found. Returns whether any walk has more to look at. */
export async function reconcile(options: ReconcilerOptions): Promise<boolean> {
  let isMore = false
  for (const walk of options.walks) {
    if (await transaction(options.pool, tx => continueWalk(tx, walk, options))) isMore = true
  }
  return isMore
}

async function continueWalk(tx: Client, walk: Walk, options: ReconcilerOptions): Promise<boolean> {
  await planByIndex(tx)
  const state = await lockWalk(tx, walk.name, options.intervalSeconds)
  if (state === undefined) return false
  for await (const kept of selectKept(tx, walk.name))
    await lookAgain(tx, walk, kept, options.graceFactor ?? 1)
  if (state.is_resting) return false
  const { looked_at, last, found } = await selectPortion(tx, walk, state.cursor)
  await keepFound(tx, walk.name, found)
  const isMore = looked_at === walk.portion
  await moveWalk(tx, walk.name, { isFirst: state.cursor === null, cursor: isMore ? last : null })
  return isMore
}

async function lookAgain(tx: Client, walk: Walk, kept: KeptRow[], graceFactor: number): Promise<void> {
  const keys = kept.map(({ key }) => key)
  const found = new Map((await selectAgain(tx, walk, keys)).found.map(row => [nameOf(row), row]))
  const gone = kept.filter(row => !found.has(nameOf(row)))
  const isSame = (row: KeptRow) => found.get(nameOf(row))?.state === row.state
  const moved = kept.filter(row => found.has(nameOf(row)) && !isSame(row))
  const ripe = kept.filter(
    row => isSame(row) && !row.is_confirmed && row.age_seconds >= graceFactor * graceOf(row),
  )
  const foundOf = (row: KeptRow): FoundRow => found.get(nameOf(row))!
  await deleteKept(tx, gone)
  await suspectAnew(tx, moved.map(foundOf))
  await confirm(tx, ripe.map(foundOf))
  await tell(tx, {
    worse: ripe,
    better: [...gone, ...moved].filter(row => row.is_confirmed),
  })
}

const nameOf = ({ tenant_id, invariant, item }: Pick<KeptRow, 'tenant_id' | 'invariant' | 'item'>) =>
  `${tenant_id} ${invariant} ${item}`

const invariantOf = (name: string) => INVARIANTS.find(invariant => invariant.name === name)

/** One that a later version brought is given no time: this version does not know it, and deletes it once it is gone. */
function graceOf({ invariant }: KeptRow): number {
  return invariantOf(invariant)?.graceSeconds ?? Number.POSITIVE_INFINITY
}

/** One event for each invariant and tenant. It is raised when there are more violations, and resolved when there are none. */
async function tell(tx: Client, { worse, better }: { worse: KeptRow[]; better: KeptRow[] }): Promise<void> {
  const subjects = new Map([...worse, ...better].map(row => [`${row.tenant_id} ${row.invariant}`, row]))
  for (const { tenant_id, invariant: name } of subjects.values()) {
    const invariant = invariantOf(name)
    if (invariant === undefined || invariant.isToldElsewhere) continue
    const [left] = await selectViolations(tx, tenant_id, [name])
    if (left === undefined) await resolveSystemEvents(tx, tenant_id, VIOLATED, name)
    else if (worse.some(row => row.tenant_id === tenant_id && row.invariant === name))
      await raiseSystemEvent(tx, {
        tenant_id,
        event_type: VIOLATED,
        subject: name,
        severity: 'high',
        description: `${invariant.holds} This is not so for ${left.count === 1 ? 'one' : left.count}. ${invariant.advice}`,
        details: { violations: left.count, oldest: left.oldest },
        cool_down_seconds: DAY_SECONDS,
      })
  }
}

export function createReconciler(
  options: ReconcilerOptions & { wake: Wake; now: () => number; onError: (error: unknown) => void },
): Service {
  return createLoop({
    name: 'reconciler',
    round: async () => {
      const startedMs = options.now()
      const isMore = await reconcile(options)
      const pauseMs = isMore ? SHORTEST_PAUSE_MS : options.intervalSeconds * 1000
      return Math.max(pauseMs, PAUSE_FACTOR * (options.now() - startedMs))
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
