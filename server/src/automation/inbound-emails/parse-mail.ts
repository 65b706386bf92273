/**
 * Reads a mail as it arrived. In a child process with a limit of time and memory: the parser is linear in the size of the
 * mail, but a few megabytes of empty lines took four gigabytes of it, and nothing stops it in between.
 */
import { createRequire } from 'node:module'
import { Refusal } from '../../platform/calls/refusal.ts'
import { runContained } from '../../platform/processes/contained-child.ts'

interface Mailbox {
  name?: string
  address?: string
}

export interface ParsedMail {
  from: Mailbox | null
  to: Mailbox[]
  cc: Mailbox[]
  delivered_to: string[]
  subject: string
  text: string | null
  html: string | null
  /** What a mail without a text part, or with an empty one, says, without what it quotes; null if its text says something. */
  text_of_html: string | null
  message_id: string | null
  date: string | null
  headers: { key: string; value: string }[]
  attachments: { filename: string | null; content_type: string; size: number }[]
  /** How many there were of each; the lists may have fewer. */
  counts: { to: number; cc: number; headers: number; attachments: number }
}

const require = createRequire(import.meta.url)
const LIBRARY = require.resolve('postal-mime')
const HTML_LIBRARY = require.resolve('html-to-text')
/** Forwarded mails are attachments: with a parser for each, a small mail could ask for a lot of them. */
const PARSE_OPTIONS = JSON.stringify({
  maxNestingDepth: 30,
  maxHeadersSize: 262_144,
  maxRfc822NestingDepth: 0,
})
/** Gmail and Apple Mail mark what they quote; Outlook puts only headers above it, as in plain text. */
const HTML_OPTIONS = JSON.stringify({
  wordwrap: false,
  limits: { maxDepth: 100, maxChildNodes: 5000 },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    ...['img', 'hr', 'blockquote', 'div.gmail_quote'].map(selector => ({
      selector,
      format: 'skip',
    })),
  ],
})
/** Lists and texts are cut here, so that the answer is small whatever the mail was. */
const CHILD = `
  const MAX_ITEMS = 500, MAX_CHARACTERS = 70000
  const flat = list => (list ?? []).flatMap(each => each.group ?? [each])
  const start = text => text === undefined ? null : text.slice(0, MAX_CHARACTERS)
  const chunks = []
  process.stdin.on('data', chunk => chunks.push(chunk)).on('end', async () => {
    const { default: PostalMime } = require(process.argv[1])
    const mail = await PostalMime.parse(Buffer.concat(chunks), JSON.parse(process.argv[2]))
    const textOf = html => require(process.argv[3]).convert(html.slice(0, MAX_CHARACTERS), JSON.parse(process.argv[4]))
    const [to, cc] = [flat(mail.to), flat(mail.cc)]
    process.stdout.write(JSON.stringify({
      from: flat(mail.from && [mail.from])[0] ?? null,
      to: to.slice(0, MAX_ITEMS),
      cc: cc.slice(0, MAX_ITEMS),
      delivered_to: mail.headers.filter(each => each.key === 'delivered-to').map(each => each.value).slice(0, MAX_ITEMS),
      subject: (mail.subject ?? '').slice(0, MAX_CHARACTERS),
      text: start(mail.text),
      html: start(mail.html),
      text_of_html: (mail.text ?? '').trim() === '' && mail.html !== undefined ? start(textOf(mail.html)) : null,
      message_id: mail.messageId ?? null,
      date: mail.date ?? null,
      headers: mail.headers.slice(0, MAX_ITEMS).map(({ key, value }) => ({ key, value })),
      attachments: mail.attachments.slice(0, MAX_ITEMS).map(each => (
        { filename: each.filename, content_type: each.mimeType, size: each.content.byteLength })),
      counts: { to: to.length, cc: cc.length, headers: mail.headers.length, attachments: mail.attachments.length },
    }))
  })`

/** Long, because a good mail must not be refused on a busy machine. */
const TIMEOUT_MS = 30_000
const MEMORY_MB = 256
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024
/** Each line and each part takes memory of its own. An attachment of the largest mail has 140,000 lines. */
const MAX_LINES = 200_000
/** Only such a line can begin a part. */
const MAX_DASHED_LINES = 5_000

export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  refuseTooManyLines(raw)
  const outcome = await runContained({
    program: CHILD,
    args: [LIBRARY, PARSE_OPTIONS, HTML_LIBRARY, HTML_OPTIONS],
    input: raw,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    memoryMb: MEMORY_MB,
  })
  if (outcome.kind === 'done') return JSON.parse(outcome.output)
  throw unreadable((outcome.kind === 'failed' && outcome.message) || 'It is too complicated')
}

function refuseTooManyLines(raw: Buffer): void {
  let [lines, dashed] = [0, 0]
  for (let at = 0; at !== -1 && at < raw.length; lines++) {
    if (raw[at] === 0x2d && raw[at + 1] === 0x2d) dashed++
    if (lines > MAX_LINES) throw unreadable(`It has more than ${MAX_LINES} lines`)
    if (dashed > MAX_DASHED_LINES) throw unreadable(`It has more than ${MAX_DASHED_LINES} parts`)
    const end = raw.indexOf(0x0a, at)
    at = end === -1 ? -1 : end + 1
  }
}

function unreadable(reason: string): Refusal {
  const message = `The mail cannot be read: ${reason.replace(/\.$/, '')}.`
  return new Refusal('invalid_request', message, [{ field: 'raw', message }])
}
