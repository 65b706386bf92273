/** What is wrong with a value, in words that stand well beside a field: people read them in forms, too. */
import type { z } from 'zod'
import { didYouMean } from './did-you-mean.ts'

/** Nobody misspells a name at such length, and comparing takes time for each character. */
const MAX_MISSPELT_LENGTH = 50

/** The library's own messages speak of its types. What a schema says itself stays as it is. */
const LIBRARY_MESSAGE = /^(Invalid (input|option|discriminator value)|Too (small|big))\b/

/** Never contains the value, which may be secret. */
export function wordsOf(issue: z.core.$ZodIssue, value: unknown): string {
  return (LIBRARY_MESSAGE.test(issue.message) && inOurWords(issue, value)) || issue.message
}

/** The end of a message about a misspelt name; empty when none of the known ones can be meant. */
export function suggestion(given: unknown, known: Iterable<string>): string {
  if (typeof given !== 'string' || given.length > MAX_MISSPELT_LENGTH) return ''
  const meant = didYouMean(given, known)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

function inOurWords(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === 'invalid_value') return choice(issue.values.map(String), value)
  if (issue.code === 'invalid_union') {
    const { options } = issue as { options?: unknown[] }
    return options && choice(options.map(String), value)
  }
  if (issue.code === 'invalid_type') return typeWords(issue.expected, value)
  if (issue.code === 'too_small') return sizeWords('at least', 'more than', Number(issue.minimum), issue)
  if (issue.code === 'too_big') return sizeWords('at most', 'less than', Number(issue.maximum), issue)
  return undefined
}

/** A setting may be empty, which needs no mention. */
function choice(values: string[], value: unknown): string {
  const known = values.filter(name => name !== '')
  const expected = known.length === 1 ? `Expected ${known[0]}` : `Expected one of ${known.join(', ')}`
  return `${expected}${suggestion(value, known) || '.'}`
}

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function typeWords(expected: string, value: unknown): string | undefined {
  const wanted = KINDS[expected]
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  const isKindOf = kind === 'number' && expected === 'int'
  const got = isKindOf || value === undefined ? '' : `, not ${KINDS[kind] ?? kind}`
  return wanted && `Expected ${wanted}${got}.`
}

const ENTRIES = ['entry', 'entries']
const PARTS: Record<string, string[]> = {
  string: ['character', 'characters'],
  array: ENTRIES,
  set: ENTRIES,
  record: ENTRIES,
}

function sizeWords(
  inclusive: string,
  exclusive: string,
  size: number,
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
): string | undefined {
  const { origin } = issue
  const limit = size.toLocaleString('en')
  if (origin === 'number' || origin === 'int')
    return `Must be ${issue.inclusive ? inclusive : exclusive} ${limit}.`
  if (size === 1 && issue.code === 'too_small') {
    if (origin === 'string') return 'Must not be empty.'
    if (origin === 'array') return 'Needs at least one.'
  }
  const [one, many] = PARTS[origin as string] ?? []
  return one && `Must have ${issue.exact ? 'exactly' : inclusive} ${limit} ${size === 1 ? one : many}.`
}
