import type { Message } from '../../../content/messages/message.ts'
import { cut } from '../../../platform/text/cut.ts'

/**
 * An SMS is the text, or the subject if there is none, cut to what the service accepts. Three dots mark the cut: one
 * character outside GSM-7, such as …, would turn the whole SMS into UCS-2 and more than double its parts.
 */
export function smsText(message: Message, limit: number): string {
  return cut(message.text || message.subject, limit, 'utf16', '...')
}
