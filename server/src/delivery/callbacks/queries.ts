/** The SQL of callbacks. */
import { createHash } from 'node:crypto'
import type { Executor } from '../../platform/database/pool.ts'
import { storable } from '../../platform/text/cut.ts'
import type { Feedback } from '../../providers/services/kind.ts'

/**
 * Stores each event once and applies the new ones: to the route it is about, and to the address it suppresses. It is one
 * statement, so an event is applied exactly when it is stored. What became of a copy (cc, bcc) says nothing about the route;
 * and of a mail with copies, nobody is suppressed unless the service names the address.
 */
export async function applyFeedback(
  db: Executor,
  tenantId: string,
  providerId: string,
  channel: string,
  feedback: Feedback[],
): Promise<number> {
  const { rows } = await db.query<{ applied: number }>(
    `with input as (
       select distinct on (i.event_id) i.*, r.notification_id, r.route_id, coalesce(k.copies, '{}') as copies,
         i.recipient <> lower(r.resolved_address) and i.recipient = any (k.copies) as is_copy
       from (
         select e.*, lower(coalesce(normal_address($3, e.named), e.named)) as recipient
         from jsonb_to_recordset($4::jsonb) as e (message_id text, event_id text, kind text, detail text, at timestamptz,
           named text, suppress_address text, suppress_reason text, lift_address text)
       ) i
       left join routes r on r.tenant_id = $1 and r.message_ref = i.message_id and r.message_ref <> ''
       left join lateral (
         select array(select lower(jsonb_array_elements_text(
           coalesce(o.mail -> 'cc', '[]'::jsonb) || coalesce(o.mail -> 'bcc', '[]'::jsonb)))) as copies
         from (select x.options -> 'email' as mail from records x
           where x.tenant_id = $1 and x.notification_id = r.notification_id) o
       ) k on $3 = 'email'
     ), stored as (
       insert into provider_callbacks (tenant_id, provider_id, event_id, notification_id, route_id, kind, detail, occurred_at)
       select $1, $2, event_id, notification_id, route_id, kind, left(detail, 500), at from input
       on conflict do nothing
       returning event_id
     ), new_events as (
       select i.* from input i join stored s on s.event_id = i.event_id
     ), reported as materialized (
       select apply_reports($1, jsonb_agg(jsonb_build_object('notification_id', notification_id, 'route_id', route_id,
         'kind', kind, 'at', at)))
       from new_events where notification_id is not null and is_copy is not true
     ), suppressed as materialized (
       select suppress_addresses(jsonb_agg(jsonb_build_object('tenant_id', $1::uuid, 'channel', $3::text,
         'address', suppress_address, 'reason', suppress_reason, 'detail', detail)))
       from new_events where suppress_address <> '' and (recipient <> '' or copies = '{}')
     ), lifted as materialized (
       select lift_suppressions(jsonb_agg(jsonb_build_object('tenant_id', $1::uuid, 'channel', $3::text,
         'address', lift_address)))
       from new_events where lift_address <> ''
     )
     select count(*)::integer as applied from stored cross join reported cross join suppressed cross join lifted`,
    [tenantId, providerId, channel, JSON.stringify(feedback.map(toInput))],
  )
  return rows[0]!.applied
}

function toInput(feedback: Feedback) {
  const { message_id, event_id, kind, detail, at, recipient, suppress, lift } = feedback
  return {
    message_id: storable(message_id, MAX_ID_LENGTH),
    // The column takes 255 characters, and some services have longer ids.
    event_id:
      event_id.length <= MAX_ID_LENGTH
        ? storable(event_id, MAX_ID_LENGTH)
        : createHash('sha256').update(event_id).digest('hex'),
    kind,
    detail: storable(detail, MAX_DETAIL_LENGTH),
    at: (isPlausible(at) ? at : new Date()).toISOString(),
    named: storable(recipient ?? '', MAX_ADDRESS_LENGTH),
    suppress_address: addressOrNone(suppress?.address),
    suppress_reason: suppress?.reason ?? '',
    lift_address: addressOrNone(lift?.address),
  }
}

const MAX_ID_LENGTH = 255
const MAX_DETAIL_LENGTH = 500
const MAX_ADDRESS_LENGTH = 500

/** What PostgreSQL refuses would take the other events of the call with it, such as a wish to get nothing more. */
function addressOrNone(address: string | undefined): string {
  if (address === undefined || address.length > MAX_ADDRESS_LENGTH) return ''
  return storable(address, MAX_ADDRESS_LENGTH) === address ? address : ''
}

/** In the years of four digits, which every part of the system can read. */
function isPlausible(at: Date): boolean {
  return at.getTime() >= Date.UTC(1970, 0) && at.getTime() < Date.UTC(9999, 0)
}

export interface DeviceRefusal {
  ticket: string
  notification_id: string
  route_id: string
  detail: string
}

/** What a push service says later about single devices. It is shown with the route and changes nothing about it. */
export async function storeDeviceRefusals(
  db: Executor,
  tenantId: string,
  providerId: string,
  refusals: DeviceRefusal[],
): Promise<void> {
  if (refusals.length === 0) return
  await db.query(
    `insert into provider_callbacks (tenant_id, provider_id, event_id, notification_id, route_id, kind, detail, occurred_at)
     select $1, p.id, 'ticket:' || i.ticket, r.notification_id, r.route_id, 'device_refused', left(i.detail, 500), now()
     from jsonb_to_recordset($3::jsonb) as i (ticket text, notification_id uuid, route_id text, detail text)
     join routes r on r.tenant_id = $1 and r.notification_id = i.notification_id and r.route_id = i.route_id
     join provider_configs p on p.id = $2
     on conflict do nothing`,
    [tenantId, providerId, JSON.stringify(refusals)],
  )
}

export interface DeviceRefusalRow {
  route_id: string
  provider: string
  detail: string
  occurred_at: Date
}

/** Of the given routes of one record. */
export async function selectDeviceRefusals(
  db: Executor,
  tenantId: string,
  notificationId: string,
  routeIds: string[],
): Promise<DeviceRefusalRow[]> {
  const { rows } = await db.query<DeviceRefusalRow>(
    `select c.route_id, (select p.name from provider_configs p where p.id = c.provider_id) as provider, c.detail,
       c.occurred_at
     from provider_callbacks c
     where c.tenant_id = $1 and c.notification_id = $2 and c.route_id = any ($3::text[]) and c.kind = 'device_refused'
     order by c.route_id, c.occurred_at, c.event_id`,
    [tenantId, notificationId, routeIds],
  )
  return rows
}
