/** A submitted form with a value that the page would not have let through: nothing of it is saved. */
import { ZodError } from 'zod'

export class InvalidForm extends Error {
  override name = 'InvalidForm'
  readonly field: string
  constructor(field: string) {
    super(`the field "${field}" has a value that cannot be saved`)
    this.field = field
  }
}

/** What the page says about it; undefined for errors that are nobody's entry. */
export function noticeOf(error: unknown): 'invalid' | 'invalid_quiet' | undefined {
  const isInvalid = error instanceof InvalidForm || error instanceof ZodError
  if (!isInvalid) return undefined
  const fields = error instanceof InvalidForm ? [error.field] : error.issues.flatMap(({ path }) => path)
  return fields.includes('quiet_hours') ? 'invalid_quiet' : 'invalid'
}
