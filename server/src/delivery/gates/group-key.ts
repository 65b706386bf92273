/** Throttles and digests may treat each value of a payload field separately: the value is then part of their key. */
import { createHash } from 'node:crypto'
import type { ClaimedRoute } from '../routes/claim.ts'

/** Longer values are replaced by their hash, so that they fit an index. */
const MAX_KEY_BYTES = 100

export function groupKey({ payload_json }: ClaimedRoute, field: string): string {
  if (field === '') return ''
  const payload = JSON.parse(payload_json) as Record<string, unknown>
  const value = Object.hasOwn(payload, field) ? payload[field] : ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.byteLength(text) <= MAX_KEY_BYTES ? text : createHash('sha256').update(text).digest('hex')
}
