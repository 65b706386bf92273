/** Schema issues → the fields at fault, in words a caller can act upon. */
import type { FieldError } from '@carillon/contract'
import type { ZodError } from 'zod'
import { didYouMean } from '../text/did-you-mean.ts'

/** What a schema found wrong, as fields with messages a caller can act upon. */
export function fieldErrors(error: ZodError, input: unknown): FieldError[] {
  return error.issues.flatMap(issue => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') {
      return [
        { field: path.join('.') || 'body', message: isMissing(input, path) ? 'Required.' : issue.message },
      ]
    }
    const known = Object.keys((input ?? {}) as object)
    return issue.keys.map(key => {
      const meant = didYouMean(
        key,
        KNOWN_FIELDS.filter(field => !known.includes(field)),
      )
      return {
        field: [...path, key].join('.'),
        message: `Unknown field${meant ? `; did you mean "${meant}"?` : '.'}`,
      }
    })
  })
}

/** A value that is simply not there needs no talk of types. */
function isMissing(input: unknown, path: string[]): boolean {
  return path.length > 0 && valueAt(input, path) === undefined
}

export function valueAt(input: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    input,
  )
}

/** Names offered for misspelt fields of intents, by far the most typed body. */
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
