/** What the reconciler knows, for people: which invariants are broken, where, and what to do. */
import type { Executor } from '../../platform/database/pool.ts'
import { INVARIANTS } from './invariants.ts'
import { selectLastWalk, selectViolations } from './queries.ts'

export interface BrokenInvariant {
  name: string
  holds: string
  advice: string
  tenant_id: string
  count: number
  oldest: { item: string; since: string }
}

export async function examineInvariants(db: Executor): Promise<{
  /** When every table had last been looked through; null if that has not happened yet. */
  walkedAt: Date | null
  count: number
  violations: BrokenInvariant[]
}> {
  const { finished_at } = await selectLastWalk(db)
  const violations = (await selectViolations(db)).flatMap(({ invariant, tenant_id, count, oldest }) => {
    const known = INVARIANTS.find(({ name }) => name === invariant)
    if (known === undefined) return []
    const { name, holds, advice } = known
    return [{ name, holds, advice, tenant_id, count, oldest: oldest[0]! }]
  })
  return { walkedAt: finished_at, count: INVARIANTS.length, violations }
}
