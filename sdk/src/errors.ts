/** What can go wrong in a call: Carillon refused it, or Carillon could not be reached. */
import type { ErrorCode, FieldError, Problem } from '@carillon/contract'

/** Carillon, or something in front of it, answered with a refusal. Branch on `code`; it never changes meaning. */
export class CarillonError extends Error {
  /** `unexpected_answer`: the answer did not come from Carillon, but probably from a proxy or another server. */
  readonly code: ErrorCode | 'unexpected_answer'
  readonly status: number
  readonly title: string
  readonly detail: string
  /** The fields at fault; empty when the refusal is not about fields. */
  readonly errors: FieldError[]
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** How long the server asked to wait before the next try. */
  readonly retryAfterMs: number | undefined

  constructor(problem: Refusal) {
    super(`${problem.title}: ${problem.detail}`)
    this.name = 'CarillonError'
    this.code = problem.code
    this.status = problem.status
    this.title = problem.title
    this.detail = problem.detail
    this.errors = problem.errors ?? []
    this.requestId = problem.request_id
    this.retryAfterMs = problem.retryAfterMs
  }
}

/** No complete answer arrived: refused, reset, not resolvable or timed out. The request may still have been processed. */
export class CarillonConnectionError extends Error {
  /** The system's code such as ECONNREFUSED, `timeout`, or `unknown`. */
  readonly code: string
  /** The base URL that was tried. */
  readonly url: string

  constructor(url: string, code: string, reason: string, cause: unknown) {
    super(`Cannot reach Carillon at ${url}: ${reason}`, { cause })
    this.name = 'CarillonConnectionError'
    this.code = code
    this.url = url
  }
}

/** `refreshToken` gave no token: nobody is signed in. What it threw is the cause. */
export class CarillonTokenError extends Error {
  constructor(cause: unknown) {
    super(`No user token: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'CarillonTokenError'
  }
}

/** The token has ended, and the new one is somebody else’s: what was asked for the one is not done for the other. */
export class CarillonPersonError extends Error {
  constructor() {
    super('Somebody else has signed in since.')
    this.name = 'CarillonPersonError'
  }
}

interface Refusal extends Omit<Problem, 'code' | 'type'> {
  code: CarillonError['code']
  retryAfterMs?: number | undefined
}

export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** The error for an answer that is not a success, whether or not it is a problem document. */
export function refusal(answer: Answer, retryAfterMs: number | undefined): CarillonError {
  const problem = readProblem(answer.text)
  if (problem !== undefined) return new CarillonError({ ...problem, status: answer.status, retryAfterMs })
  return new CarillonError({
    code: 'unexpected_answer',
    title: 'Unexpected answer',
    status: answer.status,
    detail: describeForeignAnswer(answer),
    request_id: answer.headers.get('x-request-id') ?? undefined,
    retryAfterMs,
  })
}

/** What Carillon would answer to a call without a key; it need not be asked. */
export function missingKey(): CarillonError {
  return new CarillonError({
    code: 'unauthenticated',
    title: 'A valid API key is needed',
    status: 401,
    detail: 'There is no key: pass apiKey, or set CARILLON_API_KEY.',
  })
}

function readProblem(text: string): Problem | undefined {
  try {
    const body = JSON.parse(text)
    return typeof body?.code === 'string' && typeof body.title === 'string'
      ? { ...body, detail: typeof body.detail === 'string' ? body.detail : '' }
      : undefined
  } catch {
    return undefined
  }
}

function describeForeignAnswer({ status, headers }: Answer): string {
  const location = headers.get('location')
  if (location !== null) return `status ${status}, a redirect to ${location}; use that address as the url.`
  const type = headers.get('content-type') ?? 'no content type'
  return `status ${status} with ${type}, which is not an answer from Carillon; is the url right?`
}

/** Turns what fetch threw into an error that says what happened; fetch itself only says "fetch failed". */
export function connectionError(
  url: string,
  thrown: unknown,
  timedOutAfterMs?: number,
): CarillonConnectionError | CarillonTokenError | CarillonPersonError {
  if (thrown instanceof CarillonTokenError || thrown instanceof CarillonPersonError) return thrown
  if (timedOutAfterMs !== undefined) {
    return new CarillonConnectionError(url, 'timeout', `no answer within ${timedOutAfterMs} ms`, thrown)
  }
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  // When a host has several addresses, the error has an empty message and one error per address inside.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  const code = (first as { code?: unknown })?.code
  const reason = first instanceof Error && first.message !== '' ? first.message : String(first)
  return new CarillonConnectionError(url, typeof code === 'string' ? code : 'unknown', reason, thrown)
}
