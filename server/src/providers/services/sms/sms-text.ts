import type { Message } from '../../../content/messages/message.ts'
import { shorten } from '../shorten.ts'

/**
 * An SMS is the text, or the subject where there is none, cut at what the service takes. Three dots mark the cut: one
 * character outside GSM-7, such as …, would turn the whole SMS into UCS-2 and more than double its parts.
 */
export function smsText(message: Message, limit: number): string {
  return shorten(message.text || message.subject, limit, '...')
}
