/** The SQL of topics and their members. */
import type { Topic, TopicMember } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

type Times = { created_at: Date; updated_at: Date }
export type TopicRow = Omit<Topic, keyof Times> & Times
export type TopicMemberRow = Omit<TopicMember, keyof Times> & Times
export type TopicSettings = Pick<Topic, 'title' | 'url' | 'visibility'>

const TOPIC = 'topic, title, url, visibility, created_at, updated_at'
const MEMBER = 'topic, user_id, role, created_at, updated_at'

export async function upsertTopic(
  db: Executor,
  tenantId: string,
  topic: string,
  { title, url, visibility }: TopicSettings,
): Promise<TopicRow> {
  const { rows } = await db.query<TopicRow>(
    `insert into topics (tenant_id, topic, title, url, visibility) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, topic) do update set title = excluded.title, url = excluded.url,
       visibility = excluded.visibility, updated_at = now()
     returning ${TOPIC}`,
    [tenantId, topic, title, url, visibility],
  )
  return rows[0]!
}

export async function selectTopic(
  db: Executor,
  tenantId: string,
  topic: string,
): Promise<TopicRow | undefined> {
  const { rows } = await db.query<TopicRow>(
    `select ${TOPIC} from topics where tenant_id = $1 and topic = $2`,
    [tenantId, topic],
  )
  return rows[0]
}

export async function countWatchers(db: Executor, tenantId: string, topic: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from watches where tenant_id = $1 and topic = $2 and level <> 'ignore'`,
    [tenantId, topic],
  )
  return rows[0]!.count
}

export async function selectTopics(
  db: Executor,
  tenantId: string,
  after: string,
  limit: number,
): Promise<TopicRow[]> {
  const { rows } = await db.query<TopicRow>(
    `select ${TOPIC} from topics where tenant_id = $1 and topic > $2 order by topic limit $3`,
    [tenantId, after, limit],
  )
  return rows
}

/** Its threads, members, watches and inbox rows go with it. */
export async function deleteTopic(
  db: Executor,
  tenantId: string,
  topic: string,
): Promise<TopicRow | undefined> {
  const { rows } = await db.query<TopicRow>(
    `delete from topics where tenant_id = $1 and topic = $2 returning ${TOPIC}`,
    [tenantId, topic],
  )
  return rows[0]
}

export async function upsertMember(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
  role: string,
): Promise<TopicMemberRow> {
  const { rows } = await db.query<TopicMemberRow>(
    `insert into topic_members (tenant_id, topic, user_id, role) values ($1, $2, $3, $4)
     on conflict (tenant_id, topic, user_id) do update set role = excluded.role, updated_at = now()
     returning ${MEMBER}`,
    [tenantId, topic, userId, role],
  )
  return rows[0]!
}

export async function selectMember(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<TopicMemberRow | undefined> {
  const { rows } = await db.query<TopicMemberRow>(
    `select ${MEMBER} from topic_members where tenant_id = $1 and topic = $2 and user_id = $3`,
    [tenantId, topic, userId],
  )
  return rows[0]
}

export async function selectMembers(
  db: Executor,
  tenantId: string,
  topic: string,
  afterUser: string,
  limit: number,
): Promise<TopicMemberRow[]> {
  const { rows } = await db.query<TopicMemberRow>(
    `select ${MEMBER} from topic_members where tenant_id = $1 and topic = $2 and user_id > $3 order by user_id limit $4`,
    [tenantId, topic, afterUser, limit],
  )
  return rows
}

export async function deleteMember(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<TopicMemberRow | undefined> {
  const { rows } = await db.query<TopicMemberRow>(
    `delete from topic_members where tenant_id = $1 and topic = $2 and user_id = $3 returning ${MEMBER}`,
    [tenantId, topic, userId],
  )
  return rows[0]
}
