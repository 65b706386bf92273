/** The SQL of subscriptions to threads. */
import type { Subscription } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

type Times = { created_at: Date; updated_at: Date }
export type SubscriptionRow = Omit<Subscription, keyof Times> & Times
export type ThreadKey = [kind: string, id: string]

const SUBSCRIPTION = 'thread_kind, thread_id, user_id, subscribed, reason, created_at, updated_at'

/** A person's own choice, whatever there was before. */
export async function upsertSubscription(
  db: Executor,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
  { subscribed, reason }: Pick<Subscription, 'subscribed' | 'reason'>,
): Promise<SubscriptionRow> {
  const { rows } = await db.query<SubscriptionRow>(
    `insert into notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, user_id, thread_kind, thread_id) do update set subscribed = excluded.subscribed,
       reason = excluded.reason, source_event_id = null, updated_at = now()
     returning ${SUBSCRIPTION}`,
    [tenantId, userId, kind, id, subscribed, reason],
  )
  return rows[0]!
}

export async function selectSubscription(
  db: Executor,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${SUBSCRIPTION} from notification_threads
     where tenant_id = $1 and user_id = $2 and thread_kind = $3 and thread_id = $4`,
    [tenantId, userId, kind, id],
  )
  return rows[0]
}

/** Everybody who has a row about the thread, those who left it too. */
export async function selectSubscriptionsOfThread(
  db: Executor,
  tenantId: string,
  [kind, id]: ThreadKey,
  afterUser: string,
  limit: number,
): Promise<SubscriptionRow[]> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${SUBSCRIPTION} from notification_threads
     where tenant_id = $1 and thread_kind = $2 and thread_id = $3 and user_id > $4 order by user_id limit $5`,
    [tenantId, kind, id, afterUser, limit],
  )
  return rows
}

export async function selectSubscriptionsOfPerson(
  db: Executor,
  tenantId: string,
  userId: string,
  after: unknown[],
  limit: number,
): Promise<SubscriptionRow[]> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${SUBSCRIPTION} from notification_threads
     where tenant_id = $1 and user_id = $2 and (thread_kind, thread_id) > ($3, $4)
     order by thread_kind, thread_id limit $5`,
    [tenantId, userId, ...after, limit],
  )
  return rows
}

export async function deleteSubscription(
  db: Executor,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await db.query<SubscriptionRow>(
    `delete from notification_threads
     where tenant_id = $1 and user_id = $2 and thread_kind = $3 and thread_id = $4 returning ${SUBSCRIPTION}`,
    [tenantId, userId, kind, id],
  )
  return rows[0]
}

/** Whether the person was told of the thread. */
export async function selectWasTold(
  db: Executor,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from notifications n
     where n.tenant_id = $1 and n.user_id = $2 and n.thread_kind = $3 and n.thread_id = $4`,
    [tenantId, userId, kind, id],
  )
  return rowCount === 1
}
