/** Claiming due routes: one statement, and a lease with an owner. */
import type {
  Cap,
  Channel,
  DigestPolicy,
  DigestSchedule,
  MessageOptions,
  QuietWindow,
  ThrottlePolicy,
} from '@carillon/contract'
import type { Device } from '../../content/messages/message.ts'
import type { CountedPeriod } from '../../people/caps/count-capped-sends.ts'
import { IS_IN_USE } from '../../people/devices/devices.ts'
import { type Choice, type ChoiceLayers, UNDECIDED } from '../../people/preferences/choices.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { ROUTE_ABOUT, type RouteAbout } from './about.ts'

/** A claimed route with everything needed to deliver it. */
export interface ClaimedRoute extends ChoiceLayers {
  tenant_id: string
  notification_id: string
  route_id: string
  channel: Channel
  /** 0 critical, 1 meant for a few people, 2 for a large audience. */
  priority: number
  recipient_ref: string
  user_id: string | null
  resolved_address: string
  resolved_locale: string
  /** The template to fill in; null takes the text from the payload. */
  template_version_id: string | null
  /** Includes this claim, so the attempt is counted before the provider is called. */
  attempt_count: number
  max_attempts: number
  /** The fencing token: a completion must present it. */
  claim_count: number
  next_attempt_at: Date
  notification_type: string
  payload_json: string
  /** What the intent says about its messages on this channel. */
  options: MessageOptions | null
  request_id: string
  traceparent: string
  retry_base_ms: number
  retry_cap_ms: number
  /** By the database's clock; null without a deadline. */
  ms_to_deadline: number | null
  is_cancelled: boolean
  /** The tenant, by its operator. */
  is_suspended: boolean
  /** Why the address is suppressed; null when it is not. */
  suppression: string | null
  /** The provider the type asks for; null leaves the choice to priority. */
  preferred_provider: string | null
  devices: Device[] | null
  category: string
  /** The category cannot be left: switches and caps do not apply. */
  required: boolean
  /** Critical types ignore quiet hours and caps. */
  critical: boolean
  /** Why these people get it, as the producer said. */
  intent_reason: string
  /** null if it is about nothing that others can take part in. */
  about: RouteAbout | null
  /** null if the user does not exist (any more) or the recipient is an address. */
  user_timezone: string | null
  /** The local day whose cap counts this route already. */
  counted_on: string | null
  /** The other periods whose caps count it already. */
  counted_in: CountedPeriod[] | null
  /** By the database's clock. */
  claimed_at: Date
  throttle: ThrottlePolicy | null
  digest: DigestPolicy | null
  /** The digest it has joined or opened; on the route of a digest, the digest's own id. */
  digest_id: string | null
  /** On the route of a digest, when that was to go out; null on all others. */
  digest_closes_at: Date | null
  /** Whether the person has read it in the inbox; null unless the route is an escalation that stops then. */
  was_read: boolean | null
}

/** The routes of one tenant, channel and priority: what is stuck in one lane delays no other. */
export interface RouteLane {
  tenantId: string
  channel: Channel
  priority: number
}

export interface LaneDemand extends RouteLane {
  free: number
  /** No due route lies before it; null searches from the beginning. */
  watermark: Date | null
}

/**
 * A choice as an array, null when there is none: separate columns made every row wider, also for the many people who have
 * chosen nothing. Of categories and reasons, only those of the route are included.
 */
type ChoiceList = [
  enabled: boolean | null,
  frequency_cap: number | null,
  quiet_hours_start: string | null,
  quiet_hours_end: string | null,
  timezone: string | null,
  category: boolean | null,
  reason: boolean | null,
  digest: DigestSchedule | null,
  paused_until: string | null,
  quiet_windows: QuietWindow[] | null,
  caps: Cap[] | null,
]
const choiceList = (timezone: string, pausedUntil: string): string =>
  `json_build_array(p.enabled, p.frequency_cap, p.quiet_hours_start, p.quiet_hours_end, ${timezone},
      (p.categories ->> y.category)::boolean, (p.reasons ->> rec.reason)::boolean,
      p.digests -> y.category, ${pausedUntil}, p.quiet_windows, p.caps)`

/** Whoever is suppressed by number is not reached on WhatsApp either; a number that is not on WhatsApp can still get an SMS. */
const SUPPRESSION = `coalesce(s.reason, case when c.resolved_address like 'whatsapp:%' then (
      select x.reason from suppressions x where x.tenant_id = c.tenant_id and x.channel = c.channel
        and x.address = substr(c.resolved_address, length('whatsapp:') + 1)) end)`

/**
 * What delivering a route `c` needs besides its own row. People and preferences are looked up per route and not joined, so
 * that a batch never reads all people, whatever the planner estimates.
 */
export const ROUTE_CONTEXT = `rec.notification_type, rec.payload_json, rec.options -> c.channel as options, rec.request_id, rec.traceparent,
    rec.retry_base_ms, rec.retry_cap_ms, (extract(epoch from rec.expires_at - now()) * 1000)::float8 as ms_to_deadline,
    (select t.suspended_at is not null from tenants t where t.id = c.tenant_id) as is_suspended,
    rec.cancelled_at is not null as is_cancelled, rec.reason as intent_reason, now() as claimed_at,
    ${SUPPRESSION} as suppression, y.providers ->> c.channel as preferred_provider, coalesce(y.category, '') as category,
    coalesce((select k.required from categories k where k.tenant_id = c.tenant_id and k.category = y.category), false)
      as required,
    coalesce(y.critical, false) as critical, y.digest, y.throttle,
    (select u.timezone from users u where u.tenant_id = c.tenant_id and u.id = c.user_id) as user_timezone,
    (select ${choiceList('p.timezone', 'p.paused_until')} from notification_preferences p
      where p.tenant_id = c.tenant_id and p.user_id = c.user_id and p.channel = c.channel) as own,
    (select ${choiceList('null::text', 'null')} from default_preferences p
      where p.tenant_id = c.tenant_id and p.channel = c.channel and c.user_id is not null) as defaults,
    case when c.channel = 'push' then (
      select jsonb_agg(jsonb_build_object('id', d.id, 'kind', d.kind, 'token', d.token) order by d.created_at)
      from user_devices d where d.tenant_id = c.tenant_id and d.user_id = c.user_id and ${IS_IN_USE}
    ) end as devices,
    case when c.digest_id = c.notification_id then rec.send_at end as digest_closes_at,
    case when c.unless_read then was_read(c.tenant_id, c.notification_id, c.recipient_ref) end as was_read,
    ${ROUTE_ABOUT}`

const routeSources = (records: string) => `
  join ${records} rec on rec.tenant_id = c.tenant_id and rec.notification_id = c.notification_id
  left join notification_types y on y.tenant_id = rec.tenant_id and y.name = rec.notification_type
  left join suppressions s on s.tenant_id = c.tenant_id and s.channel = c.channel and s.address = lower(c.resolved_address)`

export const ROUTE_SOURCES = routeSources('records')

/** For a record that may be in the archive; $1 and $2 are its key. */
export const ROUTE_SOURCES_ANYWHERE = routeSources(
  `(${['records', 'records_archive'].map(recordIn).join(' union all ')})`,
)

function recordIn(table: string): string {
  return `select tenant_id, notification_id, notification_type, payload_json, options, request_id, traceparent, retry_base_ms,
    retry_cap_ms, expires_at, cancelled_at, reason, send_at, topic, thread_kind, thread_id, event_id, passes_mute
    from ${table} where tenant_id = $1 and notification_id = $2`
}

export type ClaimedRow = Omit<ClaimedRoute, keyof ChoiceLayers> & {
  own: ChoiceList | null
  defaults: ChoiceList | null
}

export function toClaimedRoute<Row extends ClaimedRow>(
  row: Row,
): Omit<Row, keyof ChoiceLayers> & ClaimedRoute {
  return Object.assign(row, { own: toChoice(row.own), defaults: toChoice(row.defaults) })
}

function toChoice(list: ChoiceList | null): Choice {
  if (list === null) return UNDECIDED
  const [
    enabled,
    frequency_cap,
    quiet_hours_start,
    quiet_hours_end,
    timezone,
    category,
    reason,
    digest,
    paused,
    quiet_windows,
    caps,
  ] = list
  const paused_until = paused === null ? null : new Date(paused)
  return {
    enabled,
    frequency_cap,
    caps,
    quiet_hours_start,
    quiet_hours_end,
    quiet_windows,
    timezone,
    paused_until,
    category,
    reason,
    digest,
  }
}

/**
 * Oldest due first in each lane; the more important lanes first, then those that were served longest ago. The CTE locks
 * before the update, so that the limits hold whatever the plan. A route whose lease ran out is taken over, and the attempt
 * that its owner never finished is logged as lost.
 */
const CLAIM = `
  with due as materialized (
    select oldest.*
    from (
      select * from unnest($1::uuid[], $2::text[], $3::smallint[], $4::integer[], $5::timestamptz[])
        with ordinality as k (tenant_id, channel, priority, free, watermark, turn)
      order by priority, turn
    ) l
    cross join lateral (
      select r.tenant_id, r.notification_id, r.route_id, r.lease_owner as last_owner, r.claim_count as last_claim,
        r.lease_until as lost_at
      from routes r
      where r.tenant_id = l.tenant_id and r.channel = l.channel and r.priority = l.priority
        and r.next_attempt_at >= l.watermark and r.next_attempt_at <= now()
        and (r.lease_until is null or r.lease_until <= now())
      order by r.next_attempt_at limit l.free
      for update skip locked
    ) oldest
    limit $6
  ),
  lost as (
    insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, worker, message, started_at)
    select tenant_id, notification_id, route_id, last_claim, 'lost', last_owner,
      'The worker stopped without reporting; its lease ran out.', lost_at
    from due where last_owner is not null
    on conflict do nothing
  ),
  claimed as (
    update routes r set
      lease_owner = $7, lease_until = now() + make_interval(secs => $8), attempt_count = r.attempt_count + 1,
      claim_count = r.claim_count + 1, updated_at = now()
    from due d
    where r.tenant_id = d.tenant_id and r.notification_id = d.notification_id and r.route_id = d.route_id
    returning r.tenant_id, r.notification_id, r.route_id, r.channel, r.priority, r.recipient_ref, r.user_id,
      r.resolved_address, r.resolved_locale, r.template_version_id, r.attempt_count, r.max_attempts, r.claim_count,
      r.next_attempt_at, r.counted_on::text as counted_on, r.counted_in, r.digest_id, r.unless_read
  )
  select c.*, ${ROUTE_CONTEXT} from claimed c ${ROUTE_SOURCES}`

export async function claimRoutes(
  pool: Pool,
  lanes: LaneDemand[],
  limit: number,
  owner: string,
  leaseSeconds: number,
): Promise<ClaimedRoute[]> {
  const { rows } = await pool.query<ClaimedRow>({
    name: 'claim_routes',
    text: CLAIM,
    values: [
      lanes.map(lane => lane.tenantId),
      lanes.map(lane => lane.channel),
      lanes.map(lane => lane.priority),
      lanes.map(lane => lane.free),
      lanes.map(lane => lane.watermark?.toISOString() ?? '-infinity'),
      limit,
      owner,
      leaseSeconds,
    ],
  })
  return rows.map(toClaimedRoute)
}

/** Lanes that have something due and are not known yet. */
export async function findNewLanes(pool: Pool, known: RouteLane[]): Promise<RouteLane[]> {
  const { rows } = await pool.query<RouteLane>({
    name: 'new_lanes',
    text: 'select tenant_id as "tenantId", channel, priority from new_lanes($1, $2, $3)',
    values: [
      known.map(lane => lane.tenantId),
      known.map(lane => lane.channel),
      known.map(lane => lane.priority),
    ],
  })
  return rows
}
