/** The parts of a message in the forms that mail services take. */

import type { Message } from '../../../content/messages/message.ts'
import type { ErrorRule } from '../http-provider.ts'
import { isPlainAddress, parseMailbox } from './mail-settings.ts'

/** There is one path and one method, so their absence means that the base URL is wrong. */
export const WRONG_ENDPOINT: ErrorRule = { status: [404, 405], then: 'config' }

/** Throws for anything but one address. */
export function recipientOf(message: Message): string {
  if (isPlainAddress(message.address)) return message.address
  throw new Error('the recipient is not one plain mail address')
}

/** Our own headers. What services refuse in a header is left out, so that it never costs the message. */
export function mailHeaders(message: Message): Record<string, string> {
  const headers = {
    'X-Carillon-Type': message.notification_type,
    'X-Carillon-Notification': message.notification_id,
    // RFC 3834: keeps vacation responders from answering.
    'Auto-Submitted': 'auto-generated',
    'X-Request-Id': message.request_id,
    ...unsubscribeHeaders(message),
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => isHeaderValue(value)))
}

/** RFC 8058: mail programs show a button that unsubscribes with one POST. Both headers or none. */
export function unsubscribeHeaders({ unsubscribe_url: url }: Message): Record<string, string> {
  if (url === null || !isHeaderValue(`<${url}>`)) return {}
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** Stable over repeats, so that receivers can drop the second copy. */
export function rfcMessageId(message: Message, from: string): string {
  const domain = parseMailbox(from).address.split('@')[1]
  return `<${message.message_id}@${domain}>`
}

/** What callbacks carry back to us. */
export function idsOf(message: Message): { message_id: string; notification_id: string } {
  return { message_id: message.message_id, notification_id: message.notification_id }
}

/**
 * Tags take letters, digits, - and _ only, and our ids are UUIDs and hex digits joined by a dot: exchanging the dot
 * keeps them readable.
 */
export function toTag(id: string): string {
  return id.replaceAll('.', '_')
}

export function fromTag(tag: string): string {
  return tag.replaceAll('_', '.')
}

/** Printable ASCII, and no longer than the strictest service (SES) takes. */
function isHeaderValue(value: string): boolean {
  return /^[ -~]{1,870}$/.test(value)
}
