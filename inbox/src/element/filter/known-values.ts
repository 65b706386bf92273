/** Values that a filter could have: what the rows at hand have, and all topics of the inbox. */
import type { InboxItem } from '@carillon/sdk/inbox'
import type { Inbox } from '../../client/inbox-api.ts'
import { type Known, STATES } from './suggest.ts'

const MAX_TOPICS = 100
const DAY_MS = 86_400_000

export function valuesOf(items: readonly InboxItem[], topics: readonly string[], now: Date): Known {
  const different = (of: (item: InboxItem) => string | null | undefined): string[] =>
    [...new Set(items.map(of))].filter(value => typeof value === 'string' && value !== '') as string[]
  return {
    is: STATES,
    reason: different(item => item.reason),
    topic: [...new Set([...topics, ...different(item => item.topic)])],
    from: different(item => item.last_actor_id),
    type: different(item => item.type),
    kind: different(item => item.kind),
    thread: different(({ thread }) => thread && `${thread.kind}/${thread.id}`),
    date: [0, 1, 2, 3, 4, 5, 6].map(days => localDay(new Date(now.getTime() - days * DAY_MS))),
  }
}

export async function topicsOf({ client }: Inbox): Promise<string[]> {
  const { data } = await client.groups({ by: 'topic', q: 'is:all', limit: MAX_TOPICS })
  return data.map(({ key }) => key)
}

/** 2026-03-01, where the person is. */
function localDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
