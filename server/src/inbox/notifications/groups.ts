/** An inbox in groups, by topic or by day: how many there are in each, and the filter that lists them. */
import type { InboxGroup } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { conditionOf } from './filter.ts'
import { EVERYBODYS, IS_SHOWN, OWN } from './item.ts'
import type { InboxOwner } from './owner.ts'
import { type FilterTerm, writeFilter } from './parse-filter.ts'

export interface GroupRow {
  key: string
  total: number
  unread: number
  last_event_at: Date
}

const COUNTS =
  'sum(g.total)::integer as total, sum(g.unread)::integer as unread, max(g.last_event_at) as last_event_at'

/**
 * Days are those of the person's time zone. Its offset is looked up per quarter of an hour and not per row: offsets change
 * on quarters, and a large inbox has thousands of rows in each.
 */
const GROUPS = {
  topic: `select g.key, ${COUNTS} from (
      select coalesce(i.topic, '') as key, 1 as total, (not i.is_read)::integer as unread, i.last_event_at from items i
    ) g group by g.key`,
  date: `select to_char(g.quarter at time zone 'UTC' + coalesce(zone_offset(
        (select u.timezone from users u where u.tenant_id = $1 and u.id = $2), g.quarter), interval '0'), 'YYYY-MM-DD') as key,
      ${COUNTS} from (
      select date_bin('15 minutes', i.last_event_at, timestamptz 'epoch') as quarter, count(*) as total,
        count(*) filter (where not i.is_read) as unread, max(i.last_event_at) as last_event_at
      from items i group by 1
    ) g group by 1`,
}

export async function selectGroups(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  query: { by: 'topic' | 'date'; terms: FilterTerm[]; after: (string | number)[] | undefined; limit: number },
): Promise<GroupRow[]> {
  const { sql, values } = conditionOf(query.terms, 6)
  const half = (source: string) =>
    `select i.topic, i.is_read, i.last_event_at from (${source}) i where ${IS_SHOWN} and ${sql}`
  const { rows } = await db.query<GroupRow>(
    `with items as (${half(OWN)} union all ${half(EVERYBODYS)})
     select g.* from (${GROUPS[query.by]}) g
     where $3::timestamptz is null or (g.last_event_at, g.key) < ($3, $4::text)
     order by g.last_event_at desc, g.key desc limit $5`,
    [tenantId, userId, query.after?.[0] ?? null, query.after?.[1] ?? null, query.limit, ...values],
  )
  return rows
}

/** The group takes the place of those that the filter asks for: of several, one would have to fit. */
export function toGroup(row: GroupRow, by: 'topic' | 'date', terms: FilterTerm[]): InboxGroup {
  const others = terms.filter(({ key, negated }) => key !== by || negated)
  const query = writeFilter([...others, { key: by, value: row.key, negated: false }])
  return { ...row, last_event_at: row.last_event_at.toISOString(), query }
}
