/** Reads a Retry-After header (RFC 9110 10.2.3): seconds, or one of the three HTTP date forms. */

/** A receiver may slow a message down, not park it for years. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000

/** The wait in milliseconds, 0 for a past date, undefined when the header is absent or makes no sense. */
export function parseRetryAfter(header: string | undefined, now: () => number): number | undefined {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return within(Number(value) * 1000)
  if (looksLikeHttpDate(value)) return within(parseHttpDate(value) - now())
  return undefined
}

function within(wait_ms: number): number | undefined {
  return Number.isNaN(wait_ms) ? undefined : Math.min(Math.max(wait_ms, 0), LONGEST_WAIT_MS)
}

/** Date.parse alone would read '-1' and '1.5' as dates. */
function looksLikeHttpDate(value: string): boolean {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)
}

/** The asctime form names no zone and means GMT, but Date.parse would take it for local time. */
function parseHttpDate(value: string): number {
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
}
