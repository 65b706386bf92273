import type { Message } from '../../../content/messages/message.ts'
import { cut } from '../../../platform/text/cut.ts'

/** Subject and text as one message, cut with … between characters if the service would refuse it. */
export function chatText({ subject, text }: Message, limit: number): string {
  return cut([subject, text].filter(Boolean).join('\n'), limit, 'utf16', '…')
}
