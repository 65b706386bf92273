/** Cuts texts to the length a service takes, instead of having it refuse the whole message. */

/** By what people see as characters, so that no emoji or accent is torn apart. */
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * At most `limit` UTF-16 units, the strictest of the ways in which services count. The mark shows that something is
 * missing.
 */
export function shorten(text: string, limit: number, mark = '…'): string {
  if (text.length <= limit) return text
  // The start of the character that holds the first unit too many.
  const border = characters.segment(text).containing(limit - mark.length)?.index ?? 0
  return `${text.slice(0, border).trimEnd()}${mark}`
}
