/**
 * What somebody wrote in a reply, without the mail that it answers and without their signature. Mail programs mark neither
 * in any agreed way, so this goes by what the common ones write, in the languages Carillon brings. What stays is text of the
 * person's own, also below or between the lines of what they quote.
 */

/** On Tue, 10 Mar 2026 at 12:00, Bells <bells@example.com> wrote: — first and last words, by language. */
const ATTRIBUTIONS: [start: RegExp, end: RegExp][] = [
  [/^On\s/, /\swrote:$/],
  [/^Am\s/, /\sschrieb\s.*:$/],
  [/^Am\s/, /\sschrieb:$/],
  [/^Le\s/, /\sa écrit\s?:$/],
  [/^El\s/, /\sescribió:$/],
  [/^Em\s/, /\sescreveu:$/],
  [/^Il\s/, /\sha scritto:$/],
  [/^Op\s/, /\sschreef\s.*:$/],
  [/^\d{4}年\d{1,2}月\d{1,2}日/, /[:：]$/],
  [/^في\s/, /كتب.*:$/],
]
/** In any language: a sender's address, and a colon right above lines that are quoted. */
const ADDRESS = /\S@\S/
const COLON = /[:：]$/
/** Such a line may be broken into as many. */
const MAX_ATTRIBUTION_LINES = 4
const MAX_LINE_LENGTH = 1000

/** Outlook's, in the middle of dashes. */
const ORIGINAL =
  /^-{2,}\s*(Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Mensagem original|元のメッセージ|الرسالة الأصلية)\s*-{2,}$/i
/** The block of headers that Outlook puts above what it quotes: a sender, and a time soon after. */
const SENDER = /^\*?(From|Von|De|Da|差出人|من)\s?:\*?\s/i
const TIME =
  /^\*?(Sent|Date|Gesendet|Datum|Envoyé|Enviado( el)?|Enviada em|Data|Inviato|送信日時|日時|تاريخ الإرسال)\s?:\*?\s/i
const HEADERS_WITHIN_LINES = 4

const SIGNATURE = /^--\s?$/
/** What phones add below. */
const SENT_FROM =
  /^(Sent from my |Sent from (Outlook|Mail|Yahoo)|Sent with Proton Mail|Get Outlook for |Von meinem .* gesendet|Envoyé de mon |Enviado desde mi |Enviado do meu |iPhoneから送信)/i
const QUOTED = /^\s?>/
/** Some programs put them where nothing was written. */
const INVISIBLE = /^[\s\u200b-\u200f\u2060\ufeff]*$/

export function cutQuote(text: string): string {
  const written = cut(text)
  return INVISIBLE.test(written) ? '' : written
}

function cut(text: string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .split('\n')
  const mark = firstMark(lines)
  const above = ownText(mark === undefined ? lines : lines.slice(0, mark.at))
  if (mark === undefined) return above
  // Written below what it quotes: there, only what is marked line by line can be told apart.
  const below = lines.slice(mark.at + mark.length)
  if (!below.some(line => QUOTED.test(line))) return above
  if (above === '') return ownText(withoutQuoted(below))
  const between = ownText(below)
  return hasOwnParagraph(between.split('\n')) ? `${above}\n\n${between}` : above
}

/** Below something quoted. Without an empty line above it, it is the rest of a quoted line that some program broke. */
function hasOwnParagraph(lines: string[]): boolean {
  const first = lines.findIndex(line => QUOTED.test(line))
  return lines.some((line, at) => at > first && !isBlankOrQuoted(line) && lines[at - 1]!.trim() === '')
}

const isBlankOrQuoted = (line: string) => INVISIBLE.test(line) || QUOTED.test(line)

/** Where the quoted mail begins, and how many lines say so. */
function firstMark(lines: string[]): { at: number; length: number } | undefined {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!.trim()
    if (line === '' || line.length > MAX_LINE_LENGTH || QUOTED.test(line)) continue
    const length = attributionAt(lines, at)
    if (length > 0) return { at, length }
    if (ORIGINAL.test(line)) return { at, length: 1 }
    if (/^_{10,}$/.test(line) && headersAt(lines, at + 1)) return { at, length: 1 }
    if (headersAt(lines, at)) return { at, length: 1 }
  }
  return undefined
}

/** How many lines it has; 0 if there is none. */
function attributionAt(lines: string[], at: number): number {
  const first = lines[at]!.trim()
  const candidates = ATTRIBUTIONS.filter(([start]) => start.test(first))
  let joined = ''
  for (let length = 1; length <= MAX_ATTRIBUTION_LINES && at + length <= lines.length; length++) {
    const line = lines[at + length - 1]!.trim()
    if (line === '' || QUOTED.test(line)) return 0
    joined = `${joined} ${line}`.trim()
    if (joined.length > MAX_LINE_LENGTH) return 0
    // A sentence may begin and end so too; a sender has an address, and a time several digits.
    if (candidates.some(([, end]) => end.test(joined)) && /@|(\d\D*){4}/.test(joined)) return length
    if (COLON.test(joined) && ADDRESS.test(joined) && isAboveQuoted(lines, at + length)) return length
  }
  return 0
}

function isAboveQuoted(lines: string[], at: number): boolean {
  const next = lines.slice(at, at + 2).find(line => line.trim() !== '')
  return next !== undefined && QUOTED.test(next)
}

function headersAt(lines: string[], at: number): boolean {
  const next = lines.slice(at, at + HEADERS_WITHIN_LINES + 1).map(line => line.trim())
  const first = next.findIndex(line => line !== '')
  if (first < 0 || !SENDER.test(next[first]!)) return false
  return next.slice(first + 1).some(line => TIME.test(line))
}

/** Without signature and quoted lines at the end; those in between belong to what the person writes. */
function ownText(lines: string[]): string {
  const signature = lines.findIndex(line => SIGNATURE.test(line))
  const kept = signature < 0 ? [...lines] : lines.slice(0, signature)
  while (kept.length > 0) {
    const last = kept.at(-1)!.trim()
    if (last !== '' && !QUOTED.test(last) && !SENT_FROM.test(last)) break
    kept.pop()
  }
  return kept.join('\n').trim()
}

function withoutQuoted(lines: string[]): string[] {
  return lines.filter(line => !QUOTED.test(line))
}
