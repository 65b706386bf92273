/** A row of an inbox for tests, with a number for its id and its place: lower ones are older. */
import type { InboxItem } from '@carillon/sdk/inbox'

export function anItem({ n = 1, ...fields }: Partial<InboxItem> & { n?: number } = {}): InboxItem {
  const at = new Date(Date.UTC(2026, 1, 1) + n * 60_000).toISOString()
  return {
    id: idOf(n),
    is_for_everybody: false,
    notification_id: null,
    type: 'review',
    kind: '',
    reason: '',
    title: `Item ${n}`,
    message: '',
    url: null,
    topic: null,
    thread: null,
    summary: {},
    event_count: 1,
    last_event_at: at,
    last_actor_id: null,
    actions: [],
    answer: null,
    is_read: false,
    read_at: null,
    done_at: null,
    saved_at: null,
    snoozed_until: null,
    expires_at: null,
    created_at: at,
    updated_at: at,
    ...fields,
  }
}

export const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
