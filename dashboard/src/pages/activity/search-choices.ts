/** What a text in the search field can mean: the id of a notification, a person, a key or a type. */
export type SearchChoice =
  | { kind: 'record'; label: string; value: string }
  | { kind: 'user_id' | 'idempotency_key' | 'notification_type'; label: string; value: string }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const MOST_TYPES = 4

export function choicesFor(text: string, types: readonly string[]): SearchChoice[] {
  const value = text.trim()
  if (value === '') return []
  const fitting = types.filter(type => type.toLowerCase().includes(value.toLowerCase()))
  return [
    ...(UUID.test(value) ? [{ kind: 'record' as const, label: 'Open the notification', value }] : []),
    { kind: 'user_id', label: 'Person', value },
    { kind: 'idempotency_key', label: 'Key', value },
    ...(fitting.length > 0 ? fitting.slice(0, MOST_TYPES) : [value]).map(type => ({
      kind: 'notification_type' as const,
      label: 'Type',
      value: type,
    })),
  ]
}
