/** Sessions that are in use for longer than one request, such as by a live stream. */
import type { Executor } from '../../platform/database/pool.ts'
import { selectEnded } from './queries.ts'

export interface HeldSession {
  id: string
  /** The tenant that it looks at. */
  tenant_id: string
}

/** Those that are over, or whose account or key may look at the tenant no more, as when it is suspended. */
export async function endedSessions(db: Executor, held: HeldSession[]): Promise<Set<string>> {
  return new Set(await selectEnded(db, held))
}
