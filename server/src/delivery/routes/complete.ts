/** Completing attempts: one statement for a batch. Only the owner of the current claim can complete it. */
import type {
  AttemptOutcome,
  FailureReason,
  ProviderCall,
  RouteReason,
  RouteStatus,
} from '@carillon/contract'
import type { CountedPeriod } from '../../people/caps/count-capped-sends.ts'
import type { Pool } from '../../platform/database/pool.ts'

/** What happens to a claimed route. */
export interface Completion {
  tenant_id: string
  notification_id: string
  route_id: string
  claim_count: number
  status: RouteStatus
  /** Until the next attempt; null when the route is finished. */
  delay_ms: number | null
  /** false when no provider was called: the attempt is not counted. */
  uses_attempt: boolean
  reason: RouteReason | ''
  outcome: AttemptOutcome
  provider: string
  provider_message_id: string
  classification: string
  message: string
  failure_reason: FailureReason | null
  recovery_hint: string
  started_at: string
  duration_ms: number
  calls: ProviderCall[]
  /** Our message id if the service will report back with it; '' otherwise. */
  message_ref: string
  /** Why the address is to be suppressed; '' if it is not. */
  suppress: string
  gone_devices: RefusedDevice[]
  /** Of devices whose push service will say more later. */
  tickets: PushTicket[]
  /** Devices that have the message, while others still have to get it. */
  reached_devices: string[]
  /** The local day that no longer counts this message, because it certainly was not sent; null otherwise. */
  returned_day: string | null
  /** The other periods that no longer count it. */
  returned_periods: CountedPeriod[]
  /** The type whose throttle no longer counts the notification, because it certainly was not sent; null otherwise. */
  returned_throttle: string | null
  /** What becomes of its row in the email log; null if it has none, or if nobody knows whether it was sent. */
  settled_mail: 'sent' | 'unsent' | null
}

/** A device that its push service refuses. */
export interface RefusedDevice {
  id: string
  /** When it ceased to exist, if the service says so. */
  since?: string
  /** Perhaps our settings are at fault. */
  doubtful?: boolean
}

export interface PushTicket {
  provider_id: string
  device_id: string
  ticket: string
}

export interface CompletedRoute {
  tenant_id: string
  notification_id: string
  route_id: string
  claim_count: number
}

/**
 * Route, attempt, dead letter and events change together. A worker that lost its lease changes nothing. Other rooms' tables
 * are changed by functions of those rooms, which are not even called when there is nothing to change.
 */
const COMPLETE = `
  with input as materialized (
    select i.tenant_id, i.notification_id, i.route_id, i.claim_count, i.delay_ms, i.failure_reason, i.started_at,
      i.duration_ms, i.returned_day, i.returned_periods, i.returned_throttle, i.settled_mail,
      coalesce(i.status, 'sent') as status, coalesce(i.uses_attempt, true) as uses_attempt,
      coalesce(i.reason, '') as reason, coalesce(i.outcome, 'sent') as outcome, coalesce(i.provider, '') as provider,
      coalesce(i.provider_message_id, '') as provider_message_id, coalesce(i.classification, '') as classification,
      coalesce(i.message, '') as message, coalesce(i.recovery_hint, '') as recovery_hint,
      coalesce(i.calls, '[]') as calls, coalesce(i.message_ref, '') as message_ref,
      coalesce(i.suppress, '') as suppress, coalesce(i.gone_devices, '[]') as gone_devices,
      i.reached_devices, i.tickets
    from jsonb_to_recordset($2::jsonb) as i (
      tenant_id uuid, notification_id uuid, route_id text, claim_count integer, status text, delay_ms float8,
      uses_attempt boolean, reason text, outcome text, provider text, provider_message_id text, classification text,
      message text, failure_reason text, recovery_hint text, started_at timestamptz, duration_ms integer,
      calls jsonb, message_ref text, suppress text, gone_devices jsonb, reached_devices jsonb, returned_day date,
      returned_periods jsonb, returned_throttle text, settled_mail text, tickets jsonb
    )
  ),
  updated as (
    update routes r set
      status = i.status,
      next_attempt_at = now() + case
        -- resumed since the route was claimed, and whatever waited was made due: this one would wait alone
        when i.reason = 'tenant_suspended' and exists (
          select from tenants t where t.id = i.tenant_id and t.suspended_at is null) then interval '0'
        else make_interval(secs => i.delay_ms / 1000)
      end,
      lease_owner = null, lease_until = null,
      attempt_count = r.attempt_count - case when i.uses_attempt then 0 else 1 end,
      reason = i.reason,
      provider = case when i.provider <> '' then i.provider else r.provider end,
      provider_message_id = case when i.status = 'sent' then i.provider_message_id else r.provider_message_id end,
      message_ref = case when i.message_ref <> '' then i.message_ref else r.message_ref end,
      last_error_classification = case when i.classification <> '' then i.classification else r.last_error_classification end,
      last_error_message = case when i.classification <> '' then i.message else r.last_error_message end,
      last_error_at = case when i.classification <> '' then now() else r.last_error_at end,
      sent_at = case when i.status = 'sent' then now() end,
      dead_at = case when i.status = 'dead' then now() end,
      skipped_at = case when i.status = 'skipped' then now() end,
      cancelled_at = case when i.status = 'cancelled' then now() end,
      expired_at = case when i.status = 'expired' then now() end,
      reached_devices = case when i.reached_devices is null then r.reached_devices
        else coalesce(r.reached_devices, '[]') || i.reached_devices end,
      counted_on = case when i.returned_day is null then r.counted_on end,
      counted_in = case when i.returned_periods is null then r.counted_in end,
      updated_at = now()
    from input i
    where r.tenant_id = i.tenant_id and r.notification_id = i.notification_id and r.route_id = i.route_id
      and r.lease_owner = $1 and r.claim_count = i.claim_count
    returning r.tenant_id, r.notification_id, r.route_id, r.claim_count, r.channel, r.recipient_ref, r.attempt_count,
      r.max_attempts, r.next_attempt_at, i.status, i.outcome, i.provider, i.classification, i.message,
      i.failure_reason, i.recovery_hint, i.started_at, i.duration_ms, i.calls, i.suppress, i.gone_devices,
      r.provider as last_provider, r.template_version_id, r.resolved_address, r.user_id, i.returned_day, i.returned_periods, i.returned_throttle, i.settled_mail, i.tickets,
      case when i.status = 'dead' then uuid_v7() end as dead_letter_id
  ),
  logged as (
    insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, provider, message, worker,
      started_at, duration_ms, next_attempt_at, calls)
    select tenant_id, notification_id, route_id, claim_count, outcome, provider, message, $1, started_at, duration_ms,
      next_attempt_at, calls
    from updated
  ),
  dead_lettered as materialized (
    select coalesce(open_dead_letters(jsonb_agg(jsonb_build_object('id', u.dead_letter_id, 'tenant_id', u.tenant_id,
      'source_kind', 'route', 'notification_id', u.notification_id, 'route_id', u.route_id,
      'notification_type', rec.notification_type, 'channel', u.channel, 'recipient_ref', u.recipient_ref,
      'final_attempt_count', u.attempt_count, 'max_attempts', u.max_attempts, 'failure_reason', u.failure_reason,
      'failure_classification', u.classification, 'failure_message', u.message, 'recovery_hint', u.recovery_hint,
      'trigger_depth', rec.trigger_depth, 'provider', u.last_provider, 'template_version_id', u.template_version_id))), 0) as handlers
    from updated u join records rec on rec.tenant_id = u.tenant_id and rec.notification_id = u.notification_id
    where u.status = 'dead'
  ),
  suppressed as materialized (
    select suppress_addresses(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'channel', channel,
      'address', resolved_address, 'reason', suppress, 'detail', message)))
    from updated where suppress <> '' and resolved_address <> ''
  ),
  no_longer_counted as materialized (
    select return_counted_sends(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'user_id', user_id, 'channel', channel,
      'day', returned_day)))
    from updated where returned_day is not null
  ),
  no_longer_capped as materialized (
    select return_capped_sends(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'user_id', user_id,
      'channel', channel, 'periods', returned_periods)))
    from updated where returned_periods is not null
  ),
  no_longer_throttled as materialized (
    select return_throttles(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'notification_type', returned_throttle,
      'recipient_ref', recipient_ref, 'notification_id', notification_id, 'route_id', route_id)))
    from updated where returned_throttle is not null
  ),
  mails_settled as materialized (
    select settle_mails(jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'notification_id', notification_id,
      'route_id', route_id, 'is_sent', settled_mail = 'sent')))
    from updated where settled_mail is not null
  ),
  devices_refused as materialized (
    select quarantine_devices(jsonb_agg(gone.device || jsonb_build_object('tenant_id', u.tenant_id)))
    from updated u cross join lateral jsonb_array_elements(u.gone_devices) as gone (device) where u.gone_devices <> '[]'
  ),
  ticketed as materialized (
    select keep_push_tickets(jsonb_agg(issued.ticket || jsonb_build_object('tenant_id', u.tenant_id,
      'notification_id', u.notification_id, 'route_id', u.route_id)))
    from updated u cross join lateral jsonb_array_elements(u.tickets) as issued (ticket) where u.tickets is not null
  ),
  events as (
    select coalesce(emit_events(jsonb_agg(jsonb_build_object('event', e.event, 'tenant_id', u.tenant_id,
      'notification_id', u.notification_id, 'route_id', u.route_id, 'dead_letter_id', u.dead_letter_id))), 0) as emitted
    from updated u
    join (values ('sent', 'notification.sent'), ('dead', 'notification.failed'), ('dead', 'notification.dead_lettered'),
      ('expired', 'notification.failed'), ('skipped', 'notification.skipped'), ('cancelled', 'notification.cancelled')
    ) as e (status, event) on e.status = u.status
    where exists (select from endpoints_for(u.tenant_id, e.event, array[u.user_id]))
  )
  select u.tenant_id, u.notification_id, u.route_id, u.claim_count, e.emitted + d.handlers as emitted
  from updated u cross join events e cross join dead_lettered d cross join suppressed cross join no_longer_counted
    cross join no_longer_capped cross join no_longer_throttled cross join mails_settled cross join devices_refused cross join ticketed`

/** `onEmitted` is called when webhooks or handlers of dead letters have something to do. */
export async function completeRoutes(
  pool: Pool,
  owner: string,
  completions: Completion[],
  onEmitted: () => void = () => {},
): Promise<CompletedRoute[]> {
  const { rows } = await pool.query<CompletedRoute & { emitted: number }>({
    name: 'complete_routes',
    text: COMPLETE,
    values: [owner, JSON.stringify(completions.map(omitDefaults))],
  })
  if ((rows[0]?.emitted ?? 0) > 0) onEmitted()
  return rows.map(({ emitted: _, ...route }) => route)
}

const DEFAULTS: Partial<Completion> = { status: 'sent', outcome: 'sent', uses_attempt: true }

/** Most attempts simply succeed: without the defaults, the JSON of a batch shrinks to a third. */
function omitDefaults(completion: Completion): Partial<Completion> {
  const rest: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(completion)) {
    const isEmpty = value === '' || value === null || (Array.isArray(value) && value.length === 0)
    if (!isEmpty && DEFAULTS[key as keyof Completion] !== value) rest[key] = value
  }
  return rest
}
