import type { Message } from '../../../content/messages/message.ts'
import { cut } from '../../../platform/text/cut.ts'
import { markdownText } from './markdown.ts'

/** Subject and text as one message, cut with … between characters if the service would refuse it. */
export function chatText(message: Message, limit: number): string {
  return cut(subjectAndText(message), limit, 'utf16', '…')
}

/** The same for services that read Markdown. */
export function chatMarkdown(message: Message, limit: number): string {
  return markdownText(subjectAndText(message), limit)
}

function subjectAndText({ subject, text }: Message): string {
  return [subject, ...(text === subject ? [] : [text])].filter(Boolean).join('\n')
}
