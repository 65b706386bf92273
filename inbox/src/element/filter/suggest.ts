/** What could be meant by a filter that somebody is typing. Pure: the server alone says what a filter is. */

export const STATES = ['unread', 'read', 'saved', 'done', 'snoozed', 'all'] as const
export const KEYS = ['is', 'reason', 'topic', 'from', 'type', 'kind', 'thread', 'date'] as const
export type FilterKey = (typeof KEYS)[number]

/** Values that somebody could mean, by key. */
export type Known = Partial<Record<FilterKey, readonly string[]>>

export interface Suggestion {
  /** What stands in the filter if it is chosen. */
  text: string
  key: FilterKey
  /** Undefined as long as only the key is certain. */
  value: string | undefined
}

interface Term {
  start: number
  minus: string
  text: string
}

const MAX_SUGGESTIONS = 8

export function suggest(query: string, caret: number, known: Known): Suggestion[] {
  const { minus, text } = termAt(query, caret)
  const colon = text.indexOf(':')
  if (colon < 0) {
    const keys = KEYS.filter(key => key.startsWith(text.toLowerCase()))
    return keys.map(key => ({ text: `${minus}${key}:`, key, value: undefined }))
  }
  const key = KEYS.find(each => each === text.slice(0, colon))
  if (key === undefined) return []
  const typed = text
    .slice(colon + 1)
    .replace(/^"/, '')
    .toLowerCase()
  const values = (known[key] ?? []).filter(value => value.toLowerCase().includes(typed))
  const nearest = [...values].sort((one, other) => rank(one, typed) - rank(other, typed))
  return nearest
    .slice(0, MAX_SUGGESTIONS)
    .map(value => ({ text: `${minus}${key}:${quoted(value)}`, key, value }))
}

/** The filter with the suggestion in place of what was typed so far, and where to go on typing. */
export function complete(
  query: string,
  caret: number,
  { text, value }: Suggestion,
): { query: string; caret: number } {
  const { start } = termAt(query, caret)
  const rest = query.slice(caret).replace(/^[^\s"]*"?/, '')
  const before = `${query.slice(0, start)}${text}${value === undefined ? '' : ' '}`
  return { query: `${before}${rest.trimStart()}`, caret: before.length }
}

/** The term that the caret is in, up to the caret. */
function termAt(query: string, caret: number): Term {
  const typed = query.slice(0, caret)
  const [whole] = /(?:[^\s"]|"(?:[^"\\]|\\.)*(?:"|$))*$/.exec(typed)!
  const minus = whole.startsWith('-') ? '-' : ''
  return { start: caret - whole.length, minus, text: whole.slice(minus.length) }
}

/** What begins with it comes before what only has it inside. */
const rank = (value: string, typed: string): number => (value.toLowerCase().startsWith(typed) ? 0 : 1)

/** As the server writes values. */
function quoted(value: string): string {
  return /^[^\s":-][^\s":]*$/.test(value) ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`
}
