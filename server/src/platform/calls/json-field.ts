/** JSON of the caller's own that is kept as text: how much of it there may be, and of which kind. */
import type { ErrorCode } from '@carillon/contract'
import { hasUnstorableEscape, isDeeperThan } from '../text/json-text.ts'
import { Refusal } from './refusal.ts'

/** As with the payloads of intents: deeper than people write, and shallow enough for whatever reads it. */
const MAX_DEPTH = 100

export function refuseUnusableJson(field: string, text: string, maxBytes: number): void {
  if (Buffer.byteLength(text) > maxBytes)
    throw refuse('payload_too_large', field, `It has more than ${maxBytes} bytes.`)
  if (isDeeperThan(MAX_DEPTH, text))
    throw refuse('invalid_request', field, `It is nested more than ${MAX_DEPTH} levels deep.`)
  if (hasUnstorableEscape(text))
    throw refuse('unstorable_text', field, 'It contains \\u0000 or an unpaired surrogate such as \\ud800.')
}

function refuse(code: ErrorCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, [{ field, message }])
}
