/** What the database contains at the end, and at the moment before a kill. */
import pg from 'pg'
import type { Channel } from './plan.ts'

export interface Moment {
  leases: number
  expansions: number
}

export interface StoredRecord {
  notification_id: string
  idempotency_key: string
  is_expanded: boolean
  routes: Partial<Record<Channel, number>>
  unsent: number
}

export interface Leftovers {
  open_routes: number
  leases: number
  expansions: number
  dead_letters: number
  malformed_intents: number
  /** Claims without an attempt row, and routes not reported as sent exactly once. */
  unexplained_claims: number
  sent_not_once: number
  /** In-app routes without an inbox row, and inbox rows without a route. */
  routes_without_inbox_row: number
  inbox_rows_without_route: number
}

export interface Totals {
  routes: number
  lost_attempts: number
}

export interface RouteKey {
  notification_id: string
  route_id: string
  channel: Channel
  resolved_address: string
  status: string
}

/** A short connection each time, since a longer one would die with the server. */
export async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=carillon' })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

export async function countOne<Row extends object>(url: string, text: string): Promise<Row> {
  return (await ask<Row>(url, text))[0]!
}

export const createUsers = (count: number) => `
  insert into users (tenant_id, id, email, phone)
  select t.id, 'user-' || n, 'user-' || n || '@example.com', '+4915' || n
  from tenants t, generate_series(1000001, 1000000 + ${count}) n returning id`

export const MOMENT = `
  select (select count(*)::integer from routes where lease_owner is not null) as leases,
    (select count(*)::integer from expansions) as expansions`

export const OPEN_WORK = `
  select (select count(*) from routes where next_attempt_at is not null)::integer
    + (select count(*) from expansions)::integer as open`

export const RECORDS = `
  select r.notification_id, r.idempotency_key, r.expanded_at is not null as is_expanded,
    coalesce(jsonb_object_agg(c.channel, c.routes) filter (where c.channel is not null), '{}') as routes,
    coalesce(sum(c.unsent), 0)::integer as unsent
  from records r left join lateral (
    select channel, count(*) as routes, count(*) filter (where status <> 'sent') as unsent from routes o
    where o.tenant_id = r.tenant_id and o.notification_id = r.notification_id group by channel
  ) c on true
  group by r.tenant_id, r.notification_id`

/** Routes that are not sent, grouped, with what they wait for. */
export const UNSENT = `
  select channel, status, count(*)::integer as routes, max(attempt_count) as attempts, count(lease_owner)::integer as leased,
    max(last_error_message) as last_error, min(next_attempt_at - now())::text as due
  from routes where status <> 'sent' group by channel, status`

export const OUTGOING = `
  select notification_id, route_id, channel, resolved_address, status from routes where channel <> 'in_app'`

export const LEFTOVERS = `
  select
    (select count(*)::integer from routes where next_attempt_at is not null) as open_routes,
    (select count(*)::integer from routes where lease_owner is not null) as leases,
    (select count(*)::integer from expansions) as expansions,
    (select count(*)::integer from dead_letters) as dead_letters,
    (select count(*)::integer from malformed_intents) as malformed_intents,
    (select count(*)::integer from routes r where claim_count <> (select count(*) from route_attempts a
      where (a.tenant_id, a.notification_id, a.route_id) = (r.tenant_id, r.notification_id, r.route_id))
    ) as unexplained_claims,
    (select count(*)::integer from routes r where 1 <> (select count(*) from route_attempts a
      where (a.tenant_id, a.notification_id, a.route_id) = (r.tenant_id, r.notification_id, r.route_id)
        and a.outcome = 'sent')
    ) as sent_not_once,
    (select count(*)::integer from routes r where channel = 'in_app' and not exists (select from notifications n
      where (n.tenant_id, n.record_id, n.route_id) = (r.tenant_id, r.notification_id, r.route_id))
    ) as routes_without_inbox_row,
    (select count(*)::integer from notifications n where not exists (select from routes r
      where (n.tenant_id, n.record_id, n.route_id) = (r.tenant_id, r.notification_id, r.route_id))
    ) as inbox_rows_without_route`

export const TOTALS = `
  select (select count(*)::integer from routes) as routes,
    (select count(*)::integer from route_attempts where outcome = 'lost') as lost_attempts`

export const SUSPICIONS = 'select invariant, item from carillon.invariant_violations'
