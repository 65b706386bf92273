import type { Message } from '../../../content/messages/message.ts'
import { shorten } from '../shorten.ts'

/** Subject and text as one message, cut with … at the end of a character where the service would refuse it. */
export function chatText({ subject, text }: Message, limit: number): string {
  return shorten([subject, text].filter(Boolean).join('\n'), limit)
}
