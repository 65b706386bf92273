/** Checks that several services need for their callbacks. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import { ForgedCallback } from './kind.ts'

const FIVE_MINUTES_MS = 5 * 60 * 1000

/** Refuses what was signed too long ago, or in the future: somebody may be replaying an intercepted request. */
export function assertFresh(signedAtMs: number, now: () => number, maxAgeMs = FIVE_MINUTES_MS): void {
  const ageMs = now() - signedAtMs
  // Clocks differ a little, so times slightly in the future pass. NaN fails both comparisons.
  if (!(ageMs <= maxAgeMs && ageMs >= -FIVE_MINUTES_MS)) throw new ForgedCallback('the timestamp is too old')
}

export function assertGenuine(isGenuine: boolean): void {
  if (!isGenuine) throw new ForgedCallback('the signature is not valid')
}

/** A setting without which callbacks cannot be verified. */
export function requireSetting(value: string | undefined, name: string): string {
  if (value === undefined || value === '')
    throw new ForgedCallback(`${name} is not set, so it cannot be verified`)
  return value
}

export function hmacSha256(key: string | Buffer, ...parts: (string | Buffer)[]): Buffer {
  return parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest()
}

/** Compares in constant time; hashed first because the comparison needs equal lengths. */
export function isSameSecret(given: string | Buffer, expected: string | Buffer): boolean {
  return timingSafeEqual(sha256(given), sha256(expected))
}

/** The value if it has the expected form, otherwise undefined: services send event types that we do not know. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  return schema.safeParse(value).data
}

/** An event counts even if its time cannot be read. */
export function toDate(time: string | number | undefined, now: () => number): Date {
  const date = new Date(time ?? now())
  return Number.isNaN(date.getTime()) ? new Date(now()) : date
}

export function parseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    throw new ForgedCallback('the body is not JSON')
  }
}

function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest()
}
