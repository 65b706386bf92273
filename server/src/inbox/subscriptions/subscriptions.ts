/** Subscriptions: a person's own choice about one thread, over the watch on its topic. The rules without HTTP. */
import type { Subscription } from '@carillon/contract'
import { refuseUnknownUser } from '../../people/users/unknown-user.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { ensureThread, findThread, noThread } from '../threads/threads.ts'
import type { Visibility } from '../visibility/visibility.ts'
import { type SubscriptionRow, selectWasTold, type ThreadKey, upsertSubscription } from './queries.ts'

/** Of the choice of one person, in the audit log. */
export const auditId = ([kind, id]: ThreadKey, userId: string) => `${kind}/${id}/${userId}`

export const noSubscription = ([kind, id]: ThreadKey, userId: string) =>
  notFound(`subscription of "${userId}" to "${kind}/${id}"`)

/**
 * Stores the choice. Following needs a thread that the person may see; `maySee` is asked about its topic. Anybody may
 * leave a thread that exists, for instance by a link in a mail they should not have got, and one that only an intent named
 * if they have it in their inbox.
 */
export async function chooseSubscription(
  tx: Client,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
  choice: { subscribed: boolean; reason?: 'email_one_click' },
  maySee: (topic: string | null) => Promise<boolean>,
): Promise<Subscription> {
  if (!choice.subscribed && (await selectWasTold(tx, tenantId, [kind, id], userId)))
    await ensureThread(tx, tenantId, kind, id)
  const thread = await findThread(tx, tenantId, kind, id)
  if (thread === undefined) throw noThread(kind, id)
  const { subscribed, reason = subscribed ? 'manual' : 'manual_unsubscribe' } = choice
  if (subscribed && !(await maySee(thread.topic))) throw noThread(kind, id)
  const write = upsertSubscription(tx, tenantId, [kind, id], userId, { subscribed, reason })
  return toSubscription(await write.catch(error => refuseUnknownUser(error, userId)))
}

/** Asks the tenant's own server, if it wants to be asked, whether the person may see the thread. */
export async function refuseHidden(
  db: Executor,
  visibility: Visibility,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
): Promise<void> {
  if (!(await visibility.isAsked(tenantId))) return
  const thread = await findThread(db, tenantId, kind, id)
  if (thread === undefined) throw noThread(kind, id)
  const question = { topic: thread.topic, thread: { kind, id }, event_id: null, user_ids: [userId] }
  const visible = await visibility.ask(tenantId, question).catch(error => {
    throw new Refusal(
      'unavailable',
      `Nobody can say whether the person may see it: ${(error as Error).message}`,
    )
  })
  if (!visible.includes(userId)) throw noThread(kind, id)
}

export function toSubscription(row: SubscriptionRow): Subscription {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
