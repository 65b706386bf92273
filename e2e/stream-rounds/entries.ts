/** The entries of a run: intents in the flat form, every fortieth of them wrong in one of several ways. */

export interface PlannedEntry {
  key: string
  fields: Record<string, string>
  isGood: boolean
}

const WRONG: Record<string, string>[] = [
  { audience_kind: 'group' },
  { recipient_user_ids_json: '["nobody"]' },
  { payload_json: '{' },
  { occurred_at_ms: 'yesterday' },
]
const EVERY = 40

export function planEntries(producer: string, count: number, users: number): PlannedEntry[] {
  return Array.from({ length: count }, (_, n) => {
    const isGood = n % EVERY !== 7
    const key = `${producer}-${n}`
    const fields = {
      notification_type: 'order_paid',
      producer,
      audience_kind: 'user',
      recipient_user_ids_json: JSON.stringify([`user-${1_000_001 + (n % users)}`]),
      idempotency_key: key,
      occurred_at_ms: '1767225600000',
      payload_json: JSON.stringify({ title: 'Paid', order: n }),
      ...(!isGood && WRONG[Math.floor(n / EVERY) % WRONG.length]),
    }
    return { key, fields, isGood }
  })
}
