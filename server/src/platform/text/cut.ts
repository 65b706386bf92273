/** Cuts text to a length, never inside what people see as one character: no emoji or accent is torn apart. */

/**
 * utf16       the length of a JavaScript string, the strictest of the ways in which services count
 * characters  code points, as PostgreSQL counts
 * bytes       of UTF-8
 * json        bytes of UTF-8 inside a JSON string, escapes included
 */
export type Unit = 'utf16' | 'characters' | 'bytes' | 'json'

const SIZES: Record<Unit, (text: string) => number> = {
  utf16: text => text.length,
  characters: text => Array.from(text).length,
  bytes: text => Buffer.byteLength(text),
  json: text => Buffer.byteLength(JSON.stringify(text)) - 2,
}

/** The text if it fits, else its start. The mark counts too; it shows that something is missing. */
export function cut(text: string, limit: number, unit: Unit = 'utf16', mark = ''): string {
  const sizeOf = SIZES[unit]
  if (sizeOf(text) <= limit) return text
  const border = firstThatDoesNotFit(text, limit - sizeOf(mark), sizeOf)
  const kept = text.slice(0, characterStart(text, border))
  return mark === '' ? kept : `${kept.trimEnd()}${mark}`
}

/**
 * The start of a text from outside, as PostgreSQL can store it: it takes neither NUL nor half a character, and one row
 * it refuses would hold up its whole batch. Both become U+FFFD and are not removed, because a secret that an answer
 * repeats with a NUL inside is not redacted, and must not become whole again.
 */
export function storable(text: string, limit: number, unit: Unit = 'utf16'): string {
  // Encoding replaces what is no whole character.
  return cut(Buffer.from(text.replaceAll('\0', '\uFFFD')).toString(), limit, unit)
}

/** The text of the first bytes; of a character that the limit tears apart, nothing is kept. */
export function decodeStart(bytes: Buffer, limit: number): string {
  // A decoder that expects more to come keeps an unfinished character back.
  const stream = bytes.length >= limit
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, limit), { stream })
}

/** The index of the first code point that has no room any more. */
function firstThatDoesNotFit(text: string, room: number, sizeOf: (text: string) => number): number {
  let size = 0
  let index = 0
  for (const character of text) {
    size += sizeOf(character)
    if (size > room) break
    index += character.length
  }
  return index
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Emoji have up to some thirty; a longer pile of accents is cut like any other text. */
const LONGEST_CHARACTER = 64

/** Where the character begins that holds the unit at the index. */
function characterStart(text: string, index: number): number {
  // Nothing after the code point at the index has a say in it.
  const start = characters.segment(text.slice(0, index + 2)).containing(index)?.index ?? index
  return index - start > LONGEST_CHARACTER ? index : start
}
