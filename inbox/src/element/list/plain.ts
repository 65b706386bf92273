/** Text that producers wrote, fit to be shown: it cannot reorder its neighbours, and it is no longer than anybody reads. */

/** Embeddings, overrides and isolates: with them a text can make what stands beside it read differently. */
const DIRECTION_CHANGES = /[\u202a-\u202e\u2066-\u2069]/g
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu

/** One line of at most `maxLength` characters. */
export function plain(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
  const shown = start.replace(DIRECTION_CHANGES, '').replace(CONTROLS, ' ').trim()
  return text.length > maxLength ? `${shown}…` : shown
}
