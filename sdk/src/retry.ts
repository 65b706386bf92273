/** When a failed call is worth repeating, and how long to wait first. */
import { CarillonConnectionError, CarillonError } from './errors.ts'

/** The server did not do the work, or a proxy does not know whether it did. */
const TEMPORARY_STATUSES = new Set([408, 429, 502, 503, 504])

const FIRST_WAIT_MS = 250
const MAX_BACKOFF_MS = 8_000
/** When a server asks for more than this, failing is better than waiting in silence. */
const MAX_RETRY_AFTER_MS = 60_000

/** The wait in milliseconds before the next try, or undefined when the failure is final. `attempt` counts from 1. */
export function waitBeforeRetry(error: unknown, attempt: number, random: () => number): number | undefined {
  if (!isTemporary(error)) return undefined
  const retryAfterMs = error instanceof CarillonError ? (error.retryAfterMs ?? 0) : 0
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined
  return Math.max(retryAfterMs, backoffMs(attempt, random))
}

/** Reads a Retry-After header (RFC 9110), seconds or an HTTP date, as milliseconds; undefined when it is unusable. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000
  // Date.parse alone would read "-1" as a date.
  if (!/^\s*(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header)) return undefined
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Doubles each time; the upper half is random, so that clients that failed together do not return together. */
function backoffMs(attempt: number, random: () => number): number {
  const fullMs = Math.min(MAX_BACKOFF_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
  return Math.round(fullMs * (0.5 + random() / 2))
}

function isTemporary(error: unknown): boolean {
  if (error instanceof CarillonConnectionError) return true
  return error instanceof CarillonError && TEMPORARY_STATUSES.has(error.status)
}
