/** Subscriptions: a person's own choice about one thread, over the watch on its topic. The rules without HTTP. */
import type { Subscription } from '@carillon/contract'
import { refuseUnknownUser } from '../../people/users/unknown-user.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client } from '../../platform/database/pool.ts'
import { findThread, noThread } from '../threads/threads.ts'
import { type SubscriptionRow, type ThreadKey, upsertSubscription } from './queries.ts'

/** Of the choice of one person, in the audit log. */
export const auditId = ([kind, id]: ThreadKey, userId: string) => `${kind}/${id}/${userId}`

export const noSubscription = ([kind, id]: ThreadKey, userId: string) =>
  notFound(`subscription of "${userId}" to "${kind}/${id}"`)

/**
 * Stores the choice. Following needs a thread that the person may see; `maySee` is asked about its topic. Anybody may
 * leave a thread that exists, for instance by a link in a mail they should not have got.
 */
export async function chooseSubscription(
  tx: Client,
  tenantId: string,
  [kind, id]: ThreadKey,
  userId: string,
  choice: { subscribed: boolean; reason?: 'email_one_click' },
  maySee: (topic: string | null) => Promise<boolean>,
): Promise<Subscription> {
  const thread = await findThread(tx, tenantId, kind, id)
  if (thread === undefined) throw noThread(kind, id)
  const { subscribed, reason = subscribed ? 'manual' : 'manual_unsubscribe' } = choice
  if (subscribed && !(await maySee(thread.topic))) throw noThread(kind, id)
  const write = upsertSubscription(tx, tenantId, [kind, id], userId, { subscribed, reason })
  return toSubscription(await write.catch(error => refuseUnknownUser(error, userId)))
}

export function toSubscription(row: SubscriptionRow): Subscription {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
