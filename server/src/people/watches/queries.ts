/** The SQL of watches. */
import type { Watch } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type WatchRow = Omit<Watch, 'updated_at'> & { updated_at: Date }

const WATCH = 'topic, user_id, level, updated_at'

export async function upsertWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
  level: string,
) {
  const { rows } = await db.query<WatchRow>(
    `insert into watches (tenant_id, topic, user_id, level) values ($1, $2, $3, $4)
     on conflict (tenant_id, topic, user_id) do update set level = excluded.level, updated_at = now()
     returning ${WATCH}`,
    [tenantId, topic, userId, level],
  )
  return rows[0]!
}

export async function selectWatches(
  db: Executor,
  tenantId: string,
  topic: string,
  afterUser: string,
  limit: number,
) {
  const { rows } = await db.query<WatchRow>(
    `select ${WATCH} from watches
     where tenant_id = $1 and topic = $2 and user_id > $3 order by user_id limit $4`,
    [tenantId, topic, afterUser, limit],
  )
  return rows
}

export async function selectWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<WatchRow | undefined> {
  const { rows } = await db.query<WatchRow>(
    `select ${WATCH} from watches where tenant_id = $1 and topic = $2 and user_id = $3`,
    [tenantId, topic, userId],
  )
  return rows[0]
}

export async function deleteWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<WatchRow | undefined> {
  const { rows } = await db.query<WatchRow>(
    `delete from watches where tenant_id = $1 and topic = $2 and user_id = $3 returning ${WATCH}`,
    [tenantId, topic, userId],
  )
  return rows[0]
}
