/** How the rules refuse a call: a stable code, a sentence, and the fields at fault. The HTTP layer adds the status. */
import type { ErrorCode, FieldError } from '@carillon/contract'

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly errors: FieldError[] | undefined
  /** When it is worth trying again. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, detail: string, errors?: FieldError[], retryAfterSeconds?: number) {
    super(detail)
    this.name = 'Refusal'
    this.code = code
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const notFound = (what: string): Refusal => new Refusal('not_found', `There is no ${what}.`)
