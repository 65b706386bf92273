/** Turns schema issues into the fields at fault, with messages a caller can act upon. */
import type { FieldError } from '@carillon/contract'
import type { ZodError } from 'zod'
import { didYouMean } from '../text/did-you-mean.ts'

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
