import type { Message } from '../../../content/messages/message.ts'
import { cut } from '../../../platform/text/cut.ts'

/**
 * An SMS is the text, or the subject if there is none, cut to what the service accepts. Three dots mark the cut: one
 * character outside GSM-7, such as …, would turn the whole SMS into UCS-2 and more than double its parts.
 */
export function smsText(message: Message, limit: number): string {
  return cut(message.text || message.subject, limit, 'utf16', '...')
}

/** For services without MMS: what they cannot send is a link at the end, for which the text makes room. */
export function withMediaLinks(message: Message, limit: number): Message {
  const links = (message.options?.media ?? []).join('\n')
  if (links === '') return message
  return { ...message, text: `${smsText(message, Math.max(0, limit - links.length - 1))}\n${links}` }
}

/** The same for services that count the parts of a long SMS: each has room for fewer characters if they are not GSM-7. */
export function smsTextInParts(message: Message, parts: number): string {
  const text = message.text || message.subject
  if (!GSM_7.test(text)) return smsText(message, parts * UCS_2_PART)
  const room = parts * GSM_7_PART
  const escaped = text.match(GSM_7_ESCAPED)?.length ?? 0
  return text.length + escaped <= room ? text : smsText(message, room - escaped)
}

/** What is left of 140 bytes beside the header that joins the parts. */
const GSM_7_PART = 153
const UCS_2_PART = 67
export const SHORTEST_PART = UCS_2_PART
/** 3GPP TS 23.038; the last row takes two places each. */
const GSM_7 =
  /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà\f^{}\\[~\]|€]*$/
const GSM_7_ESCAPED = /[\f^{}\\[~\]|€]/g
