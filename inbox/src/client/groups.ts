/** Rows under headings: by topic, or by day as the person's calendar has it. Pure. */
import type { InboxItem } from '@carillon/sdk/inbox'

export interface Group {
  /** The topic, or the day as 2026-03-01; empty for what has no topic. */
  key: string
  items: InboxItem[]
  unread: number
}

/** Rows keep their order, and groups come in the order of their first row. */
export function groupRows(items: readonly InboxItem[], by: 'topic' | 'date', timeZone?: string): Group[] {
  const dayOf = dayIn(timeZone)
  const keyOf = ({ topic, last_event_at }: InboxItem) =>
    by === 'topic' ? (topic ?? '') : dayOf(Date.parse(last_event_at))
  const groups = new Map<string, Group>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key) ?? { key, items: [], unread: 0 }
    groups.set(key, group)
    group.items.push(item)
    if (!item.is_read) group.unread++
  }
  return [...groups.values()]
}

/** In every zone a day begins with a quarter of an hour, so asking the calendar once for each is enough. */
const QUARTER_MS = 900_000

/** Gives the day of a moment. A zone that the browser does not know is that of the browser. */
export function dayIn(timeZone: string | undefined): (moment: number) => string {
  const format = dayFormat(timeZone) ?? dayFormat(undefined)!
  const days = new Map<number, string>()
  return moment => {
    const quarter = Math.floor(moment / QUARTER_MS)
    const day = days.get(quarter) ?? written(format, moment)
    days.set(quarter, day)
    return day
  }
}

function written(format: Intl.DateTimeFormat, moment: number): string {
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]))
  return `${parts.year}-${parts.month}-${parts.day}`
}

function dayFormat(timeZone: string | undefined): Intl.DateTimeFormat | undefined {
  try {
    // Of a fixed language and calendar: it is a key, and no text.
    const numeric = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    return new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', { ...numeric, ...(timeZone && { timeZone }) })
  } catch {
    return undefined
  }
}
