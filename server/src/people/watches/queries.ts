/** The SQL of watches. */
import type { Watch } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type WatchRow = Omit<Watch, 'updated_at'> & { updated_at: Date }

const WATCH = 'topic, user_id, level, kinds, is_automatic, updated_at'

/** The person's choice, whatever there was. The topic is locked. */
export async function upsertWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
  { level, kinds }: Pick<Watch, 'level' | 'kinds'>,
) {
  const { rows } = await db.query<WatchRow>(
    `insert into watches (tenant_id, topic, user_id, level, kinds) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, topic, user_id) do update set level = excluded.level, kinds = excluded.kinds,
       is_automatic = false, updated_at = now()
     returning ${WATCH}`,
    [tenantId, topic, userId, level, kinds],
  )
  return rows[0]!
}

export async function maySee(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<boolean> {
  const { rows } = await db.query<{ may_see: boolean }>('select may_see($1, $2, $3)', [
    tenantId,
    topic,
    userId,
  ])
  return rows[0]!.may_see
}

/** Makes it if it is missing, and keeps it from being deleted until the transaction ends. */
export async function lockTopic(db: Executor, tenantId: string, topic: string): Promise<void> {
  const lock = 'select from topics where tenant_id = $1 and topic = $2 for key share'
  // A deletion in between is rare, and the second round makes the topic anew.
  for (let round = 0; round < 2; round++) {
    if ((await db.query(lock, [tenantId, topic])).rowCount === 1) return
    const missing = JSON.stringify([{ tenant_id: tenantId, topic }])
    await db.query('select ensure_topics($1)', [missing])
  }
  await db.query(lock, [tenantId, topic])
}

export async function topicExists(db: Executor, tenantId: string, topic: string): Promise<boolean> {
  const statement = 'select from topics where tenant_id = $1 and topic = $2'
  return (await db.query(statement, [tenantId, topic])).rowCount === 1
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

export async function selectWatchesOfPerson(
  db: Executor,
  tenantId: string,
  userId: string,
  afterTopic: string,
  limit: number,
) {
  const { rows } = await db.query<WatchRow>(
    `select ${WATCH} from watches
     where tenant_id = $1 and user_id = $2 and topic > $3 order by topic limit $4`,
    [tenantId, userId, afterTopic, limit],
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
