/** The SQL of threads and those who take part in them. */
import type { Participant, Thread } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

type Times = { created_at: Date; updated_at: Date }
export type ThreadRow = Omit<Thread, keyof Times> & Times
export type ParticipantRow = Omit<Participant, 'created_at'> & { created_at: Date }
export type ThreadSettings = Pick<Thread, 'topic' | 'title' | 'url' | 'author_id'>

const THREAD = 'kind, id, topic, title, url, author_id, created_at, updated_at'
const PARTICIPANT = 'relation, user_id, created_at'

/** Its topic exists. */
export async function upsertThread(
  db: Executor,
  tenantId: string,
  kind: string,
  id: string,
  { topic, title, url, author_id }: ThreadSettings,
): Promise<ThreadRow> {
  const { rows } = await db.query<ThreadRow>(
    `insert into threads (tenant_id, kind, id, topic, title, url, author_id) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, kind, id) do update set topic = excluded.topic, title = excluded.title,
       url = excluded.url, author_id = excluded.author_id, updated_at = now()
     returning ${THREAD}`,
    [tenantId, kind, id, topic, title, url, author_id],
  )
  return rows[0]!
}

export async function ensureTopic(db: Executor, tenantId: string, topic: string): Promise<void> {
  await db.query('select ensure_topics($1)', [JSON.stringify([{ tenant_id: tenantId, topic }])])
}

/** Nothing if it exists. */
export async function insertThread(
  db: Executor,
  thread: { tenant_id: string; kind: string; id: string },
): Promise<void> {
  await db.query('select ensure_threads($1)', [JSON.stringify([thread])])
}

export async function selectThreadKinds(db: Executor, tenantId: string): Promise<string[]> {
  const { rows } = await db.query<{ thread_kinds: string[] }>(
    'select thread_kinds from tenant_settings where tenant_id = $1',
    [tenantId],
  )
  return rows[0]?.thread_kinds ?? []
}

export async function selectThread(
  db: Executor,
  tenantId: string,
  kind: string,
  id: string,
): Promise<ThreadRow | undefined> {
  const { rows } = await db.query<ThreadRow>(
    `select ${THREAD} from threads where tenant_id = $1 and kind = $2 and id = $3`,
    [tenantId, kind, id],
  )
  return rows[0]
}

/** By kind and id; those of a topic, or all. */
export async function selectThreads(
  db: Executor,
  tenantId: string,
  { topic, after, limit }: { topic?: string | undefined; after: unknown[]; limit: number },
): Promise<ThreadRow[]> {
  // two statements, so that each has the plan of its own index
  const ofTopic = topic === undefined ? '' : 'and topic = $5'
  const { rows } = await db.query<ThreadRow>(
    `select ${THREAD} from threads where tenant_id = $1 ${ofTopic} and (kind, id) > ($2, $3) order by kind, id limit $4`,
    [tenantId, ...after, limit, ...(topic === undefined ? [] : [topic])],
  )
  return rows
}

export async function deleteThread(
  db: Executor,
  tenantId: string,
  kind: string,
  id: string,
): Promise<ThreadRow | undefined> {
  const { rows } = await db.query<ThreadRow>(
    `delete from threads where tenant_id = $1 and kind = $2 and id = $3 returning ${THREAD}`,
    [tenantId, kind, id],
  )
  return rows[0]
}

/** Somebody who has the relation already keeps the time since when. */
export async function insertParticipant(
  db: Executor,
  tenantId: string,
  [kind, id]: [kind: string, id: string],
  relation: string,
  userId: string,
): Promise<ParticipantRow> {
  const { rows } = await db.query<ParticipantRow>(
    `insert into thread_participants (tenant_id, thread_kind, thread_id, relation, user_id) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, thread_kind, thread_id, relation, user_id) do update set relation = excluded.relation
     returning ${PARTICIPANT}`,
    [tenantId, kind, id, relation, userId],
  )
  return rows[0]!
}

export async function selectParticipant(
  db: Executor,
  tenantId: string,
  [kind, id]: [kind: string, id: string],
  relation: string,
  userId: string,
): Promise<ParticipantRow | undefined> {
  const { rows } = await db.query<ParticipantRow>(
    `select ${PARTICIPANT} from thread_participants
     where tenant_id = $1 and thread_kind = $2 and thread_id = $3 and relation = $4 and user_id = $5`,
    [tenantId, kind, id, relation, userId],
  )
  return rows[0]
}

export async function selectParticipants(
  db: Executor,
  tenantId: string,
  [kind, id]: [kind: string, id: string],
  after: unknown[],
  limit: number,
): Promise<ParticipantRow[]> {
  const { rows } = await db.query<ParticipantRow>(
    `select ${PARTICIPANT} from thread_participants
     where tenant_id = $1 and thread_kind = $2 and thread_id = $3 and (relation, user_id) > ($4, $5)
     order by relation, user_id limit $6`,
    [tenantId, kind, id, ...after, limit],
  )
  return rows
}

export async function deleteParticipant(
  db: Executor,
  tenantId: string,
  [kind, id]: [kind: string, id: string],
  relation: string,
  userId: string,
): Promise<ParticipantRow | undefined> {
  const { rows } = await db.query<ParticipantRow>(
    `delete from thread_participants
     where tenant_id = $1 and thread_kind = $2 and thread_id = $3 and relation = $4 and user_id = $5
     returning ${PARTICIPANT}`,
    [tenantId, kind, id, relation, userId],
  )
  return rows[0]
}
