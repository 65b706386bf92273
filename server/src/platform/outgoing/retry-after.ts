/** Reads a Retry-After header (RFC 9110 10.2.3): seconds, or one of the three HTTP date forms. */

/** A receiver may delay a message, but not for years. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000

/** The wait in milliseconds; 0 for a past date, undefined when the header is absent or makes no sense. */
export function parseRetryAfter(header: string | undefined, now: () => number): number | undefined {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return clamp(Number(value) * 1000)
  if (looksLikeHttpDate(value)) return clamp(parseHttpDate(value) - now())
  return undefined
}

function clamp(waitMs: number): number | undefined {
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS)
}

/** Date.parse alone would read '-1' and '1.5' as dates. */
function looksLikeHttpDate(value: string): boolean {
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)
}

/** The asctime form names no zone and means GMT, but Date.parse would read it as local time. */
function parseHttpDate(value: string): number {
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
}
