/** The SQL of the list of records. */
import type { RouteStatus } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { RECORD_COLUMNS, type RecordRow } from './queries.ts'

interface RecordListQuery {
  notification_type?: string | undefined
  producer?: string | undefined
  idempotency_key?: string | undefined
  user_id?: string | undefined
  status?: RouteStatus | undefined
  event_id?: string | undefined
  accepted_after?: string | undefined
  accepted_before?: string | undefined
  after: (string | number)[] | undefined
  limit: number
}

/**
 * Newest first. A page of recent ones needs the live tables alone; otherwise both places are read in one statement. A record
 * keeps its key when it moves, so pages neither lose nor repeat it.
 */
export async function selectRecords(
  db: Executor,
  tenantId: string,
  query: RecordListQuery,
): Promise<RecordRow[]> {
  const { live, all, stopsEarly } = statementsFor(query)
  const values = [
    tenantId,
    query.notification_type ?? null,
    query.producer ?? null,
    query.idempotency_key ?? null,
    query.accepted_after ?? null,
    query.accepted_before ?? null,
    query.after?.[0] ?? null,
    query.after?.[1] ?? null,
    query.limit,
    query.user_id ?? null,
    query.status ?? null,
    query.event_id ?? null,
  ]
  const read = async (statement: string) => (await db.query<RecordRow>(statement, values)).rows
  // nothing that is open is archived
  if (query.status === 'pending' || query.status === 'retrying') return read(live)
  if (!stopsEarly) return read(all)
  const rows = await read(live)
  const last = rows.length === query.limit ? rows.at(-1) : undefined
  return last !== undefined && isTooYoungForArchive(last.accepted_at) ? rows : read(all)
}

/** Nothing is archived before it is a day old; half of that is room for clocks that differ. */
const TOO_YOUNG_MS = 43_200_000

function isTooYoungForArchive(acceptedAt: Date): boolean {
  return acceptedAt.getTime() > Date.now() - TOO_YOUNG_MS
}

/** What the record x itself has to be. */
const MATCHES = `($2::text is null or x.notification_type = $2) and ($3::text is null or x.producer = $3)
  and ($4::text is null or x.idempotency_key = $4) and ($12::uuid is null or x.event_id = $12)
  and ($5::timestamptz is null or x.accepted_at > $5) and ($6::timestamptz is null or x.accepted_at < $6)`

/** What one of its routes o has to be. A pending one is due, which lets the planner find the few by their index. */
const ROUTE_MATCHES = `($10::text is null or o.user_id = $10) and ($11::text is null or o.status = $11)
  and ($11::text is distinct from 'pending' or o.next_attempt_at is not null)`

const NO_ROUTE_ASKED = '$10::text is null and $11::text is null'
const A_ROUTE_MATCHES = (routes: string) => `exists (select from ${routes} o
  where o.tenant_id = x.tenant_id and o.notification_id = x.notification_id and ${ROUTE_MATCHES})`

/**
 * From the newest record on, each with a look at its routes if they are asked about. Only the rows of those that are shown are
 * read, as indexes have what is mostly asked about.
 */
const byRecord = (records: string, condition: string) => `select shown.* from (
    select x.notification_id as id from ${records} x
    where x.tenant_id = $1 and ${MATCHES} and ${condition}
      and ($7::timestamptz is null or (x.accepted_at, x.notification_id) < ($7, $8::uuid))
    order by x.accepted_at desc, x.notification_id desc limit $9
  ) f cross join lateral (
    select ${RECORD_COLUMNS} from ${records} x where x.tenant_id = $1 and x.notification_id = f.id offset 0
  ) shown
  order by accepted_at desc, notification_id desc`

/**
 * Ids carry the time at which their intent came in, by another clock: an hour's difference is plenty. A digest has its id from
 * when it was opened, at most a month before it is accepted.
 */
const idOf = (time: string, margin: string) =>
  `(lpad(to_hex((extract(epoch from ${time}::timestamptz + interval '${margin}') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`
const WITHIN_TIMES = `($6::timestamptz is null or o.notification_id < ${idOf('$6', '1 hour')})
  and ($5::timestamptz is null or o.notification_id >= ${idOf('$5', '-32 days')})`

/**
 * From the newest matching route on, by skipping through its index from record to record: one may have a hundred thousand
 * routes. Ids are time-ordered, so they are the order.
 */
const byRoute = (records: string, routes: string) => {
  const newestBefore = (condition: string) => `select o.notification_id from ${routes} o
    where o.tenant_id = $1 and ${ROUTE_MATCHES} and ${WITHIN_TIMES} and ${condition}
    order by o.notification_id desc limit 1`
  return `select * from (
    with recursive found (id) as (
      (${newestBefore('($7::timestamptz is null or o.notification_id < $8::uuid)')})
      union all
      select (${newestBefore('o.notification_id < f.id')}) from found f where f.id is not null
    )
    select x.* from found f cross join lateral (
      -- one after the other, in the order in which they are found
      select ${RECORD_COLUMNS} from ${records} x
      where x.tenant_id = $1 and x.notification_id = f.id and ${MATCHES} offset 0
    ) x limit $9
  ) newest`
}

/**
 * The same where the record has to be of a producer, too. Of many that are looked at few may be: then the planner begins with
 * the records of that producer. Otherwise it walks from route to route, which is cheaper for each than skipping.
 */
const byProducerAndRoute = (records: string, routes: string) => `select shown.* from (
    select distinct o.notification_id as id
    from ${routes} o join ${records} x on x.tenant_id = o.tenant_id and x.notification_id = o.notification_id
    where o.tenant_id = $1 and ${ROUTE_MATCHES} and ${WITHIN_TIMES} and ${MATCHES}
      and ($7::timestamptz is null or o.notification_id < $8::uuid)
    order by o.notification_id desc limit $9
  ) f cross join lateral (
    select ${RECORD_COLUMNS} from ${records} x where x.tenant_id = $1 and x.notification_id = f.id offset 0
  ) shown
  order by notification_id desc`

/**
 * Where it has to be of a type, which has an index, the ids of both are read from their indexes alone and compared: that is
 * quick however few have both, while a walk would read the row of each.
 */
const byTypeAndRoute = (records: string, routes: string) => `select * from (
  with of_routes as materialized (
    select o.notification_id from ${routes} o
    where o.tenant_id = $1 and ${ROUTE_MATCHES} and ${WITHIN_TIMES}
      and ($7::timestamptz is null or o.notification_id < $8::uuid)
  ),
  of_both as materialized (
    select x.notification_id from ${records} x
    where x.tenant_id = $1 and ${MATCHES} and x.notification_id in (select notification_id from of_routes)
  )
  select x.* from (select notification_id as id from of_both order by 1 desc limit $9) f cross join lateral (
    select ${RECORD_COLUMNS} from ${records} x where x.tenant_id = $1 and x.notification_id = f.id offset 0
  ) x
) newest`

interface Statements {
  live: string
  all: string
  /** Once a page is full; otherwise the live part costs the same for any page, and is not read twice. */
  stopsEarly: boolean
}

const NEWEST_FIRST = 'order by accepted_at desc, notification_id desc limit $9'
const NEWEST_ID_FIRST = 'order by notification_id desc limit $9'
const inBoth = (live: string, archived: string, order: string, stopsEarly = true): Statements => ({
  live,
  all: `(${live}) union all (${archived}) ${order}`,
  stopsEarly,
})

const BY_RECORD = inBoth(
  byRecord('records', NO_ROUTE_ASKED),
  byRecord('records_archive', NO_ROUTE_ASKED),
  NEWEST_FIRST,
)
const BY_RECORD_WITH_ROUTE = inBoth(
  byRecord('records', A_ROUTE_MATCHES('routes')),
  byRecord('records_archive', A_ROUTE_MATCHES('routes_archive')),
  NEWEST_FIRST,
)
const BY_ROUTE = inBoth(
  byRoute('records', 'routes'),
  byRoute('records_archive', 'routes_archive'),
  NEWEST_ID_FIRST,
)
const BY_PRODUCER_AND_ROUTE = inBoth(
  byProducerAndRoute('records', 'routes'),
  byProducerAndRoute('records_archive', 'routes_archive'),
  NEWEST_ID_FIRST,
)
const BY_TYPE_AND_ROUTE = inBoth(
  byTypeAndRoute('records', 'routes'),
  byTypeAndRoute('records_archive', 'routes_archive'),
  NEWEST_ID_FIRST,
  false,
)

/**
 * Routes of a person, and those that failed in some way, have an index in the order of records. Sent ones have none, as nearly
 * every record has one; and pending ones have that by which they are claimed. A key or an event has few records.
 */
function statementsFor(query: RecordListQuery): Statements {
  const { user_id, status, idempotency_key, event_id, notification_type, producer } = query
  if (user_id === undefined && status === undefined) return BY_RECORD
  if (idempotency_key !== undefined || event_id !== undefined) return BY_RECORD_WITH_ROUTE
  if (user_id === undefined && (status === 'sent' || status === 'pending')) return BY_RECORD_WITH_ROUTE
  if (notification_type !== undefined) return BY_TYPE_AND_ROUTE
  return producer === undefined ? BY_ROUTE : BY_PRODUCER_AND_ROUTE
}
