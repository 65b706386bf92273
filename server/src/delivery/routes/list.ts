/**
 * Listing routes: those of one record, or those of a tenant by filter. Finished ones may be in the archive. What is asked
 * by record is read from both places in one statement, so a route that is being moved is seen once.
 */
import { CHANNELS, type Route, type RouteStatus } from '@carillon/contract'
import type { Dated } from '../../platform/database/dated.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { endOfRecordsBefore, selectFirstRecordSince } from './first-record-since.ts'

export type RouteRow = Dated<
  Route,
  | 'next_attempt_at'
  | 'last_error_at'
  | 'created_at'
  | 'updated_at'
  | 'delivered_at'
  | 'opened_at'
  | 'bounced_at'
  | 'finished_at'
>
const ROUTE_COLUMNS = `r.notification_id, r.route_id, r.channel, r.recipient_ref, r.user_id, r.resolved_address, r.resolved_locale,
  r.status, r.reason, r.attempt_count, r.max_attempts, r.next_attempt_at,
  r.digest_id, r.unless_read is not null as is_escalation, r.provider, r.provider_message_id,
  r.last_error_classification, r.last_error_message, r.last_error_at, r.created_at, r.updated_at, r.delivered_at,
  r.opened_at, r.bounced_at, coalesce(r.sent_at, r.dead_at, r.skipped_at, r.cancelled_at, r.expired_at) as finished_at,
  (select jsonb_build_object('name', v.name, 'locale', v.locale, 'version', v.version) from template_versions v
    where v.tenant_id = r.tenant_id and v.id = r.template_version_id) as template`

export async function countRoutes(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<Partial<Record<RouteStatus, number>>> {
  const { rows } = await db.query<{ status: RouteStatus; count: number }>(
    `select status, count(*)::integer as count from (
       select status from routes where tenant_id = $1 and notification_id = $2
       union all
       select status from routes_archive where tenant_id = $1 and notification_id = $2
     ) r group by status order by status`,
    [tenantId, id],
  )
  return Object.fromEntries(rows.map(row => [row.status, row.count]))
}

/** One record's routes, in the order of their ids, which start with the channel. */
export async function selectRecordRoutes(
  db: Executor,
  tenantId: string,
  id: string,
  page: { after: (string | number)[] | undefined; limit: number; user_id?: string | undefined },
): Promise<RouteRow[]> {
  const of = (table: string) => `(
    select ${ROUTE_COLUMNS} from ${table} r
    where r.tenant_id = $1 and r.notification_id = $2 and ($3::text is null or r.route_id > $3)
      and ($5::text is null or r.user_id = $5)
    order by r.route_id limit $4)`
  const { rows } = await db.query<RouteRow>(
    `${of('routes')} union all ${of('routes_archive')} order by route_id limit $4`,
    [tenantId, id, page.after?.[0] ?? null, page.limit, page.user_id ?? null],
  )
  return rows
}

/** Which of these people have a route of which of the records; ids of routes are made from channel and person. */
export async function selectPeopleOfRecords(
  db: Executor,
  tenantId: string,
  ids: string[],
  userIds: string[],
): Promise<{ notification_id: string; user_id: string }[]> {
  const of = (table: string) => `select r.notification_id, r.user_id from ${table} r
    where r.tenant_id = $1 and r.notification_id = any ($2::uuid[]) and r.route_id = any (array(
      select c.channel || ':user:' || u.id from unnest($3::text[]) as c (channel) cross join unnest($4::text[]) as u (id)))`
  const { rows } = await db.query<{ notification_id: string; user_id: string }>(
    `${of('routes')} union ${of('routes_archive')}`,
    [tenantId, ids, CHANNELS, userIds],
  )
  return rows
}

export interface DigestOutcomeRow {
  digest_id: string
  status: RouteStatus
  reason: string
  last_error_message: string
  finished_at: Date
}

/** What became of digests that are over. */
export async function selectDigestOutcomes(
  db: Executor,
  tenantId: string,
  digestIds: string[],
): Promise<DigestOutcomeRow[]> {
  const of = (table: string) => `select notification_id as digest_id, status, reason, last_error_message,
      coalesce(sent_at, dead_at, skipped_at, cancelled_at, expired_at) as finished_at
    from ${table} where tenant_id = $1 and notification_id = any ($2::uuid[]) and next_attempt_at is null`
  const { rows } = await db.query<DigestOutcomeRow>(`${of('routes')} union all ${of('routes_archive')}`, [
    tenantId,
    digestIds,
  ])
  return rows
}

interface RouteListQuery {
  status?: string | undefined
  channel?: string | undefined
  user_id?: string | undefined
  notification_type?: string | undefined
  provider?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  after: (string | number)[] | undefined
  limit: number
}

/**
 * Newest first. Ids are time-ordered, so the key itself is the order. The newest are mostly live ones alone; if not, both
 * places are read in one statement. A route keeps its key when it moves, so pages neither lose nor repeat it.
 */
export async function selectRoutes(
  db: Executor,
  tenantId: string,
  query: RouteListQuery,
): Promise<RouteRow[]> {
  const first = query.created_after && (await selectFirstRecordSince(db, tenantId, query.created_after))
  const values = [
    tenantId,
    query.status ?? null,
    query.channel ?? null,
    query.user_id ?? null,
    query.provider ?? null,
    query.notification_type ?? null,
    query.created_after ?? null,
    query.created_before ?? null,
    query.after?.[0] ?? null,
    query.after?.[1] ?? null,
    query.limit,
    first ?? null,
    query.created_before === undefined ? null : endOfRecordsBefore(query.created_before),
  ]
  const [live, all] = query.notification_type === undefined ? ROUTES : ROUTES_OF_TYPE
  const { rows } = await db.query<RouteRow>(live, values)
  if (isOpen(query.status)) return rows
  const last = rows.length === query.limit ? rows.at(-1) : undefined
  if (last !== undefined && !(await hasArchivedSince(db, tenantId, last.notification_id))) return rows
  return (await db.query<RouteRow>(all, values)).rows
}

/** Nothing that is open is archived, and no index of the archive would tell so. */
function isOpen(status: string | undefined): boolean {
  return status === 'pending' || status === 'retrying'
}

/** Asked after the live routes were read: what is moved meanwhile is found, and what is not found was not missed. */
async function hasArchivedSince(db: Executor, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    'select exists (select from routes_archive where tenant_id = $1 and notification_id >= $2) as found',
    [tenantId, id],
  )
  return rows[0]!.found
}

const routesIn = (routes: string, condition: string) => `select ${ROUTE_COLUMNS} from ${routes} r
  where r.tenant_id = $1 and ($2::text is null or r.status = $2) and ($3::text is null or r.channel = $3)
    and ($4::text is null or r.user_id = $4) and ($5::text is null or r.provider = $5) and ${condition}
    and ($7::timestamptz is null or r.created_at > $7 and r.notification_id >= $12)
    and ($8::timestamptz is null or r.created_at < $8 and r.notification_id < $13)
    and ($9::uuid is null or (r.notification_id, r.route_id) < ($9, $10))
    -- always true, as a check of the table says, but it lets the planner find the few pending routes by their index
    and ($2::text is distinct from 'pending' or r.next_attempt_at is not null)
  order by r.notification_id desc, r.route_id desc limit $11`

/** Those whose record is of the type: its ids come from an index alone, and no record is looked up. */
const routesOfType = (routes: string, records: string) => `
  with of_type as materialized (
    select x.notification_id from ${records} x where x.tenant_id = $1 and x.notification_type = $6
      and ($9::uuid is null or x.notification_id <= $9)
  )
  ${routesIn(routes, 'r.notification_id in (select notification_id from of_type)')}`

type Statements = [live: string, all: string]

const inBoth = (live: string, archived: string): Statements => [
  live,
  `(${live}) union all (${archived}) order by notification_id desc, route_id desc limit $11`,
]
const ANY_TYPE = '$6::text is null'
const ROUTES = inBoth(routesIn('routes', ANY_TYPE), routesIn('routes_archive', ANY_TYPE))
const ROUTES_OF_TYPE = inBoth(
  routesOfType('routes', 'records'),
  routesOfType('routes_archive', 'records_archive'),
)

export function toRoute(row: RouteRow): Route {
  return {
    ...row,
    next_attempt_at: iso(row.next_attempt_at),
    last_error_at: iso(row.last_error_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    delivered_at: iso(row.delivered_at),
    opened_at: iso(row.opened_at),
    bounced_at: iso(row.bounced_at),
    finished_at: iso(row.finished_at),
  }
}

function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
