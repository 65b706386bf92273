/** Where replies to mails about threads go. */
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { replyAddress } from '../signed-links/reply-addresses.ts'
import { messageId } from './message-id.ts'
import type { MessageRoute } from './message-route.ts'

export type ReplyAddressOf = (route: MessageRoute) => string | null

/** A person's own, for mails about a thread, if the tenant says where replies arrive. */
export function createReplyAddresses(keyring: Keyring): ReplyAddressOf {
  return ({ tenant_id, notification_id, route_id, channel, user_id, about }) => {
    if (channel !== 'email' || user_id === null || !about?.thread || about.reply_domain === null) return null
    return replyAddress(keyring, tenant_id, messageId(notification_id, route_id), about.reply_domain)
  }
}
