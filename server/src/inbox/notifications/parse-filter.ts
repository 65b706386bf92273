/**
 * The filter language of the inbox, as people type it: `is:unread reason:mention -topic:docs "some words"`. Terms are
 * separated by spaces, and all must hold; of several values of one key, one has to fit. `-` or `NOT` in front of a term
 * turns it around. A word without a key is looked for in title and message; a value with a space, a quote or a colon is
 * put into quotes, in which \" and \\ stand for themselves; `topic:""` is what has no topic.
 */
import { didYouMean } from '../../platform/text/did-you-mean.ts'

export const FILTER_STATES = ['unread', 'read', 'done', 'saved', 'snoozed', 'all'] as const
export type FilterState = (typeof FILTER_STATES)[number]
export const FILTER_KEYS = ['reason', 'topic', 'kind', 'type', 'from', 'thread', 'date'] as const
export type FilterKey = (typeof FILTER_KEYS)[number]

export type FilterTerm = { negated: boolean } & (
  | { key: 'is'; value: FilterState }
  | { key: FilterKey; value: string }
  | { key: 'text'; value: string }
)

/** What is wrong, and at which character, counted from 1. */
export class FilterError extends Error {
  override name = 'FilterError'
  readonly position: number
  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

export function parseFilter(query: string): FilterTerm[] {
  const terms: FilterTerm[] = []
  let at = skipSpaces(query, 0)
  while (at < query.length) {
    const [term, end] = readTerm(query, at)
    terms.push(term)
    at = skipSpaces(query, end)
  }
  return terms
}

/** The same terms as text; parsing it gives them back. */
export function writeFilter(terms: FilterTerm[]): string {
  return terms
    .map(({ key, value, negated }) => {
      const text = /^[^\s":-][^\s":]*$/.test(value) && value !== 'NOT' ? value : quote(value)
      return `${negated ? '-' : ''}${key === 'text' ? '' : `${key}:`}${text}`
    })
    .join(' ')
}

const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

const skipSpaces = (query: string, at: number): number => at + /^\s*/.exec(query.slice(at))![0].length

/** Only one for a term: of two, nobody knows whether they were meant. */
const NEGATION = /^(?:-|NOT(?:\s+|$))/

function readTerm(query: string, start: number): [FilterTerm, number] {
  const not = NEGATION.exec(query.slice(start))?.[0] ?? ''
  const negated = not !== ''
  const at = start + not.length
  if (at >= query.length || /\s/.test(query[at]!) || (negated && NEGATION.test(query.slice(at))))
    throw new FilterError(`Expected a term after "${not.trim()}".`, start + 1)
  const key = /^([A-Za-z_]+):/.exec(query.slice(at))?.[1]
  if (key === undefined) {
    const [value, end] = readValue(query, at, '')
    return [{ negated, key: 'text', value }, end]
  }
  const [value, end] = readValue(query, at + key.length + 1, key)
  return [{ negated, ...checkTerm(key, value, at, at + key.length + 1) }, end]
}

function readValue(query: string, at: number, key: string): [string, number] {
  if (query[at] === '"') return readQuoted(query, at, key)
  const value = /^[^\s"]*/.exec(query.slice(at))![0]
  const end = at + value.length
  if (value === '') throw new FilterError(`Expected a value after "${key}:".`, at + 1)
  if (query[end] === '"') throw new FilterError('A quote starts in the middle of a word.', end + 1)
  if (key === '' && value.includes(':'))
    throw new FilterError('Put a word that has a colon into quotes.', at + value.indexOf(':') + 1)
  return [value, end]
}

function readQuoted(query: string, start: number, key: string): [string, number] {
  const [whole, inside] = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(query.slice(start)) ?? []
  if (whole === undefined) throw new FilterError('The quote is not closed.', start + 1)
  const end = start + whole.length
  const wrong = /\\/.exec(inside!.replace(/\\[\\"]/g, '  '))
  if (wrong !== null)
    throw new FilterError(
      'In quotes, a backslash stands before a quote or a backslash.',
      start + 2 + wrong.index,
    )
  if (inside === '' && key !== 'topic')
    throw new FilterError('There is nothing between the quotes.', start + 1)
  if (end < query.length && !/\s/.test(query[end]!))
    throw new FilterError('Expected a space after the quote.', end + 1)
  return [inside!.replace(/\\([\\"])/g, '$1'), end]
}

function checkTerm(key: string, value: string, keyAt: number, valueAt: number) {
  if (key === 'is') {
    if (isOneOf(FILTER_STATES, value)) return { key, value } as const
    throw new FilterError(
      `There is no state "${value}".${suggestion(value, FILTER_STATES)} The states are ${FILTER_STATES.join(', ')}.`,
      valueAt + 1,
    )
  }
  if (!isOneOf(FILTER_KEYS, key))
    throw new FilterError(
      `There is no filter "${key}:".${suggestion(key, ['is', ...FILTER_KEYS])} Put a word with a colon in quotes.`,
      keyAt + 1,
    )
  if (key === 'thread' && !/^[^/]+\/./.test(value))
    throw new FilterError('Expected thread:kind/id, such as thread:issue/12.', valueAt + 1)
  if (key === 'date' && !isDay(value))
    throw new FilterError('Expected a day such as date:2026-03-01.', valueAt + 1)
  return { key, value }
}

/** One that a calendar has, in a year of four digits. */
function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

const isOneOf = <T extends string>(names: readonly T[], name: string): name is T => names.includes(name as T)

function suggestion(given: string, known: readonly string[]): string {
  const meant = didYouMean(given, known)
  return meant === undefined ? '' : ` Did you mean "${meant}"?`
}
