/** The SQL of live updates: one statement for all who are connected. */
import type { Executor } from '../../platform/database/pool.ts'
import { everybodysOf, IS_UNREAD, ownOf } from '../notifications/item.ts'
import { changedSince, VERSION } from '../notifications/version.ts'

/** Somebody who watches an inbox, and the version they have seen. */
export interface Watcher {
  tenantId: string
  userId: string
  /** undefined: nothing yet. */
  seen: string | undefined
  /** Has not been told anything yet, so that the count is news. */
  isNew: boolean
}

export interface InboxNews {
  /** Place among those asked for, from 0. */
  place: number
  unread: number
  changed: string[]
  reset: boolean
}

/** More than this, and reading the list again is cheaper for everybody. */
const MAX_CHANGED = 100

const [OWN, EVERYBODYS] = [ownOf('w.tenant_id', 'w.user_id'), everybodysOf('w.tenant_id', 'w.user_id')]

/** Those for whom there is news, and the version that everybody has seen with it. */
export async function selectNews(
  db: Executor,
  watchers: Watcher[],
): Promise<{ version: string; news: InboxNews[] }> {
  const { rows } = await db.query<{ version: string; news: InboxNews[] }>(
    `select ${VERSION} as version, coalesce(jsonb_agg(jsonb_build_object(
         'place', w.place - 1, 'changed', coalesce(c.ids[:${MAX_CHANGED}], '{}'),
         'reset', coalesce(cardinality(c.ids) > ${MAX_CHANGED}, false) or w.is_foreign,
         'unread', (select count(*) from (${OWN}) i where ${IS_UNREAD})
           + (select count(*) from (${EVERYBODYS}) i where ${IS_UNREAD})
       )), '[]') as news
     from (
       select asked.*, asked.version is not null and s.seen is null as is_foreign, s.seen
       from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) with ordinality
         as asked (tenant_id, user_id, version, is_new, place)
       -- asked for once per watcher, and not for every row
       cross join lateral (select seen_snapshot(asked.version) as seen offset 0) s
     ) w
     cross join lateral (
       select array_agg(distinct x.id) as ids from (
         select n.id from notifications n
         where n.tenant_id = w.tenant_id and n.user_id = w.user_id and ${changedSince('n.version', 'w.seen')}
         union all
         select n.id from notifications n
         where n.tenant_id = w.tenant_id and n.user_id is null and ${changedSince('n.version', 'w.seen')}
         union all
         select r.notification_id from notification_receipts r
         where r.tenant_id = w.tenant_id and r.user_id = w.user_id and ${changedSince('r.version', 'w.seen')}
         limit ${2 * MAX_CHANGED + 2}
       ) x
     ) c
     where w.is_new or w.is_foreign or c.ids is not null`,
    [
      watchers.map(({ tenantId }) => tenantId),
      watchers.map(({ userId }) => userId),
      watchers.map(({ seen }) => seen ?? null),
      watchers.map(({ isNew }) => isNew),
    ],
  )
  return rows[0]!
}
