/** Who may be told what happens in a topic. */
import type { Executor } from '../../platform/database/pool.ts'

/** It is public, or the person is a member. A topic that was deleted is seen by nobody. */
export async function maySeeTopic(
  db: Executor,
  tenantId: string,
  topic: string | null,
  userId: string,
): Promise<boolean> {
  const { rows } = await db.query<{ may_see: boolean }>('select may_see($1, $2, $3)', [
    tenantId,
    topic,
    userId,
  ])
  return rows[0]!.may_see
}
