/** In JavaScript what accept_intents() computes in SQL: the hash of an intent's content in canonical form. */
import { createHash } from 'node:crypto'
import type { CheckedIntent } from '../../../server/dist/intake/intents/intent.js'

export function fingerprint(intent: CheckedIntent): string {
  const { kind, user_ids, addresses, topic } = intent.audience as {
    kind: string
    user_ids?: string[]
    addresses?: string[]
    topic?: string
  }
  const recipients = [...new Set(user_ids ?? addresses ?? [])].sort()
  const payload = canonical(JSON.parse(intent.payload_json))
  const type =
    intent.template === null ? intent.notification_type : [intent.notification_type, intent.template]
  const content = sha256([type, kind, recipients, topic ?? null, intent.occurred_at, payload])
  if (intent.idempotency_key === null) return content
  const { channels, send_at, send_at_local, expires_at, reason } = intent
  return sha256([content, channels, send_at, send_at_local, expires_at, reason])
}

function sha256(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Key order carries no meaning in JSON, so it must not change the hash. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  )
}
