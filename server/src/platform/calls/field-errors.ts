/** Turns schema issues into the fields at fault, with messages a caller can act upon. */
import type { FieldError } from '@carillon/contract'
import type { ZodError, z } from 'zod'
import { suggestion, wordsOf } from '../text/issue-words.ts'
import { fieldsAt } from './fields-at.ts'

/** Nobody reads more, and a body may have tens of thousands. */
const MAX_ERRORS = 100

/** The first hundred. The schema that was broken knows which fields can be meant. */
export function fieldErrors(error: ZodError, input: unknown, schema: z.core.$ZodType): FieldError[] {
  const errors = error.issues.slice(0, MAX_ERRORS).flatMap(asMeant).slice(0, MAX_ERRORS).flatMap(ofIssue)
  return errors.slice(0, MAX_ERRORS)

  function ofIssue(issue: z.core.$ZodIssue): FieldError[] {
    const path = issue.path.map(String)
    const value = valueAt(input, path)
    if (issue.code !== 'unrecognized_keys')
      return [
        {
          field: path.join('.') || 'body',
          message: isMissing(input, path) ? 'Required.' : wordsOf(issue, value),
        },
      ]
    const unused = fieldsAt(schema, path).filter(field => !Object.hasOwn((value ?? {}) as object, field))
    return issue.keys.slice(0, MAX_ERRORS).map(key => ({
      field: [...path, key].join('.'),
      message: `Unknown field${suggestion(key, unused) || '.'}`,
    }))
  }
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
