/** Turns schema issues into the fields at fault, with messages a caller can act upon. */
import type { FieldError } from '@carillon/contract'
import type { ZodError, z } from 'zod'
import { didYouMean } from '../text/did-you-mean.ts'

/** Nobody reads more, and a body may have tens of thousands. */
const MAX_ERRORS = 100
/** Nobody misspells a field at such length, and comparing takes time for each character. */
const MAX_MISSPELT_LENGTH = 50

/** The first hundred. */
export function fieldErrors(error: ZodError, input: unknown): FieldError[] {
  const errors = error.issues.slice(0, MAX_ERRORS).flatMap(asMeant).slice(0, MAX_ERRORS).flatMap(ofIssue)
  return errors.slice(0, MAX_ERRORS)

  function ofIssue(issue: z.core.$ZodIssue): FieldError[] {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys')
      return [
        { field: path.join('.') || 'body', message: isMissing(input, path) ? 'Required.' : wordsOf(issue) },
      ]
    const unused = KNOWN_FIELDS.filter(field => !Object.hasOwn((input ?? {}) as object, field))
    return issue.keys.slice(0, MAX_ERRORS).map(key => {
      const meant = key.length <= MAX_MISSPELT_LENGTH ? didYouMean(key, unused) : undefined
      return {
        field: [...path, key].join('.'),
        message: `Unknown field${meant ? `; did you mean "${meant}"?` : '.'}`,
      }
    })
  }
}

/** In words that stand well beside a field: people read them in forms, too. A schema's own words stay as they are. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small' && issue.message.startsWith('Too small')) return sayLeast(issue)
  if (issue.code === 'too_big' && issue.message.startsWith('Too big')) return sayMost(issue)
  return issue.message
}

function sayLeast({ origin, minimum, inclusive, message }: z.core.$ZodIssueTooSmall): string {
  const least = minimum.toLocaleString('en')
  if (origin === 'string') return minimum === 1 ? 'Must not be empty.' : `Needs at least ${least} characters.`
  if (origin === 'array') return `Needs at least ${minimum === 1 ? 'one' : least}.`
  return origin === 'number' ? `Must be ${inclusive ? 'at least' : 'more than'} ${least}.` : message
}

function sayMost({ origin, maximum, inclusive, message }: z.core.$ZodIssueTooBig): string {
  const most = maximum.toLocaleString('en')
  if (origin === 'string') return `May have at most ${most} characters.`
  if (origin === 'array') return `May have at most ${most} ${maximum === 1 ? 'entry' : 'entries'}.`
  return origin === 'number' ? `Must be ${inclusive ? 'at most' : 'less than'} ${most}.` : message
}

/** Of a field that may have several shapes, what is wrong with the one that was meant: the type of the value tells. */
function asMeant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.find(
    issues => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  if (meant === undefined) return [issue]
  return meant.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(asMeant)
}

/** A value that is simply missing gets "Required." instead of a message about types. */
function isMissing(input: unknown, path: string[]): boolean {
  return path.length > 0 && valueAt(input, path) === undefined
}

export function valueAt(input: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    input,
  )
}

/** Names suggested for misspelt fields. Only those of intents, by far the body most often written by hand. */
const KNOWN_FIELDS = [
  'notification_type',
  'producer',
  'idempotency_key',
  'audience',
  'channels',
  'payload',
  'send_at',
  'expires_at',
  'occurred_at',
  'request_id',
  'user_ids',
  'addresses',
  'email',
  'username',
  'timezone',
  'locale',
]
