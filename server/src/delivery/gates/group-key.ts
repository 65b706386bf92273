/** Throttles and digests may count each value of a payload field for itself. */
import { createHash } from 'node:crypto'
import type { ClaimedRoute } from '../routes/claim.ts'

/** Longer values would not fit an index; their hash tells them apart as well. */
const LONGEST_KEY = 100

export function groupKey({ payload_json }: ClaimedRoute, field: string): string {
  if (field === '') return ''
  const payload = JSON.parse(payload_json) as Record<string, unknown>
  const value = Object.hasOwn(payload, field) ? payload[field] : ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.byteLength(text) <= LONGEST_KEY ? text : createHash('sha256').update(text).digest('hex')
}
