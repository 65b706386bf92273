/** The SQL of callbacks. */
import { createHash } from 'node:crypto'
import type { Executor } from '../../platform/database/pool.ts'
import type { Feedback } from '../../providers/services/kind.ts'

/**
 * Stores each event once and applies the new ones: to the route it is about, and to the address it suppresses. It is one
 * statement, so an event is applied exactly when it is stored.
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
       select distinct on (i.event_id) i.*, r.notification_id, r.route_id
       from jsonb_to_recordset($4::jsonb) as i (message_id text, event_id text, kind text, detail text, at timestamptz,
         suppress_address text, suppress_reason text, lift_address text)
       left join routes r on r.tenant_id = $1 and r.message_ref = i.message_id and r.message_ref <> ''
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
       from new_events where notification_id is not null
     ), suppressed as materialized (
       select suppress_addresses(jsonb_agg(jsonb_build_object('tenant_id', $1::uuid, 'channel', $3::text,
         'address', suppress_address, 'reason', suppress_reason, 'detail', detail)))
       from new_events where suppress_address <> ''
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
  const { message_id, event_id, kind, detail, at, suppress, lift } = feedback
  return {
    message_id,
    // The column takes 255 characters, and some services have longer ids.
    event_id: event_id.length <= 255 ? event_id : createHash('sha256').update(event_id).digest('hex'),
    kind,
    detail,
    at: at.toISOString(),
    suppress_address: suppress?.address ?? '',
    suppress_reason: suppress?.reason ?? '',
    lift_address: lift?.address ?? '',
  }
}
