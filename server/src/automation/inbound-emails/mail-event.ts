/** What a script sees of a mail: bounded whatever the mail was, and it says what is not whole. */
import { cut } from '../../platform/text/cut.ts'
import { toStorableJson } from '../../platform/text/storable-json.ts'
import type { ParsedMail } from './parse-mail.ts'

/** As JSON, in which some characters take six bytes. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_HEADERS_BYTES = 64 * 1024
const MAX_HEADER_LENGTH = 8000
const MAX_NAME_LENGTH = 200
export const MAX_ADDRESS_LENGTH = 320
const MAX_LISTED = 100

/** Whom it was sent to, by its own headers, as they are written there. */
export function namedRecipients({ to, cc, delivered_to }: ParsedMail): string[] {
  const written = [...to, ...cc].map(({ address }) => address ?? '')
  return [...written, ...delivered_to].filter(
    address => address !== '' && address.length <= MAX_ADDRESS_LENGTH,
  )
}

/** The `data` of the event, as JSON text. */
export function dataOf(mail: ParsedMail, recipients: string[]): string {
  const { headers, isWhole } = shownHeaders(mail)
  const [text, html] = [shownText(mail.text), shownText(mail.html)]
  const data = {
    from: mail.from && mailbox(mail.from),
    to: mail.to.slice(0, MAX_LISTED).map(mailbox),
    cc: mail.cc.slice(0, MAX_LISTED).map(mailbox),
    recipients,
    subject: cut(mail.subject, MAX_HEADER_LENGTH),
    text,
    html,
    headers,
    message_id: mail.message_id && cut(mail.message_id, MAX_HEADER_LENGTH),
    date: mail.date && cut(mail.date, MAX_NAME_LENGTH),
    attachments: mail.attachments.slice(0, MAX_LISTED).map(each => ({
      filename: each.filename && cut(each.filename, MAX_NAME_LENGTH),
      content_type: cut(each.content_type, MAX_NAME_LENGTH),
      size: each.size,
    })),
    truncated: [
      ...(text === mail.text ? [] : ['text']),
      ...(html === mail.html ? [] : ['html']),
      ...(isWhole ? [] : ['headers']),
      ...(mail.counts.to > MAX_LISTED ? ['to'] : []),
      ...(mail.counts.cc > MAX_LISTED ? ['cc'] : []),
      ...(mail.counts.attachments > MAX_LISTED ? ['attachments'] : []),
    ],
  }
  return toStorableJson(data)
}

function shownText(text: string | null): string | null {
  return text && cut(text, MAX_TEXT_BYTES, 'json')
}

function mailbox({ address = '', name = '' }: { address?: string; name?: string }) {
  return { address: cut(address, MAX_ADDRESS_LENGTH), name: cut(name, MAX_NAME_LENGTH) }
}

/** By name in lower case; several of one name become one, as in HTTP. As many as there is room for. */
function shownHeaders({ headers, counts }: ParsedMail) {
  const shown = new Map<string, string>()
  let room = MAX_HEADERS_BYTES
  for (const { key, value } of headers) {
    const [name, text] = [cut(key, MAX_NAME_LENGTH), cut(value, MAX_HEADER_LENGTH)]
    room -= Buffer.byteLength(JSON.stringify({ [name]: text }))
    if (room < 0) break
    const before = shown.get(name)
    shown.set(name, before === undefined ? text : `${before}, ${text}`)
  }
  return { headers: Object.fromEntries(shown), isWhole: room >= 0 && counts.headers === headers.length }
}
