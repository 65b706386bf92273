/** The parts of a message, as mail services expect them. */

import type { AttachedFile, Message } from '../../../content/messages/message.ts'
import { listId, threadRootId } from '../../../content/messages/message-id.ts'
import type { ErrorRule } from '../http-provider.ts'
import { isPlainAddress, parseMailbox } from './mail-settings.ts'

/** We use only one path and method, so if the service does not know them, the base URL is wrong. */
export const WRONG_ENDPOINT: ErrorRule = { status: [404, 405], then: 'config' }

/** Throws for anything but one address. */
export function recipientOf(message: Message): string {
  if (isPlainAddress(message.address)) return message.address
  throw new Error('the recipient is not one plain mail address')
}

/** What the intent says about its mails. `replyTo` is that of the settings unless the intent or thread has its own. */
export function mailOptions(
  { options = {}, reply_to: threadReplyTo }: Message,
  replyTo?: string,
): {
  replyTo: string | undefined
  cc: string[] | undefined
  bcc: string[] | undefined
  files: AttachedFile[]
} {
  const { reply_to, cc, bcc, attachments = [] } = options
  // A list would reach other people, as in the recipient.
  for (const address of [...(reply_to === undefined ? [] : [reply_to]), ...(cc ?? []), ...(bcc ?? [])])
    if (!isPlainAddress(address)) throw new Error('reply_to, cc or bcc has more than one plain mail address')
  return { replyTo: reply_to ?? threadReplyTo ?? replyTo, cc, bcc, files: attachments }
}

/** Our own headers. Values that a service would refuse are left out, so that no mail fails because of them. */
export function mailHeaders(message: Message): Record<string, string> {
  const headers = {
    'X-Carillon-Type': message.notification_type,
    'X-Carillon-Notification': message.notification_id,
    // RFC 3834: keeps vacation responders from answering.
    'Auto-Submitted': 'auto-generated',
    'X-Request-Id': message.request_id,
    ...threadHeaders(message),
    ...unsubscribeHeaders(message),
  }
  return usable(headers)
}

/** So that mail programs show the mails of a thread together, and people can sort them by topic and reason. */
export function threadHeaders({ tenant_id, thread, topic, reason }: Message): Record<string, string> {
  const root = thread && threadRootId(tenant_id, thread)
  return usable({
    ...(root && { 'In-Reply-To': root, References: root }),
    ...(topic && { 'List-Id': listId(tenant_id, topic) }),
    ...(reason && { 'X-Carillon-Reason': reason }),
  })
}

function usable(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => isHeaderValue(value)))
}

/** RFC 8058: mail programs show a button that unsubscribes with one POST. Both headers or none. */
export function unsubscribeHeaders({ unsubscribe_url: url }: Message): Record<string, string> {
  if (url === null || !isHeaderValue(`<${url}>`)) return {}
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** The same for each repeat, so that receivers can drop the second copy. */
export function rfcMessageId(message: Message, from: string): string {
  const domain = parseMailbox(from).address.split('@')[1]
  return `<${message.message_id}@${domain}>`
}

/** What callbacks return to us. */
export function idsOf(message: Message): { message_id: string; notification_id: string } {
  return { message_id: message.message_id, notification_id: message.notification_id }
}

/**
 * Tags allow only letters, digits, - and _, and our ids are UUIDs and hex digits joined by a dot: replacing the dot is
 * enough, and can be reversed.
 */
export function toTag(id: string): string {
  return id.replaceAll('.', '_')
}

export function fromTag(tag: string): string {
  return tag.replaceAll('_', '.')
}

/** Printable ASCII, and no longer than the strictest service (SES) accepts. */
function isHeaderValue(value: string): boolean {
  return /^[ -~]{1,870}$/.test(value)
}
