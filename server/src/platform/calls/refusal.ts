/** How the rules say no: a stable code, a sentence, and the fields at fault. HTTP maps it to a status elsewhere. */
import type { ErrorCode, FieldError } from '@carillon/contract'

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly errors: FieldError[] | undefined
  /** When asking again may be worth it. */
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
