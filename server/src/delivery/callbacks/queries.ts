/** The SQL of callbacks: what services report about messages. */
import { createHash } from 'node:crypto'
import type { Executor } from '../../platform/database/pool.ts'
import type { Feedback } from '../../providers/services/kind.ts'

/**
 * Notes each event once and applies only the new ones: times on the route, what webhooks are told, and addresses that get
 * nothing more. One statement, so an event is applied exactly when it is noted. The routes are locked first, so that of
 * two reports that come at once only the first is news.
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
         suppress_address text, suppress_reason text)
       left join routes r on r.tenant_id = $1 and r.message_ref = i.message_id and r.message_ref <> ''
     ), noted as (
       insert into provider_callbacks (tenant_id, provider_id, event_id, notification_id, route_id, kind, detail, occurred_at)
       select $1, $2, event_id, notification_id, route_id, kind, left(detail, 500), at from input
       on conflict do nothing
       returning event_id
     ), fresh as (
       select i.* from input i join noted n on n.event_id = i.event_id
     ), news as materialized (
       select r.notification_id, r.route_id, r.user_id, r.delivered_at as was_delivered, r.bounced_at as was_bounced,
         f.delivered_at, f.opened_at, f.bounced_at
       from (
         select notification_id, route_id, min(at) filter (where kind = 'delivered') as delivered_at,
           min(at) filter (where kind = 'opened') as opened_at,
           min(at) filter (where kind in ('bounced', 'failed')) as bounced_at
         from fresh where notification_id is not null group by notification_id, route_id
       ) f
       join routes r on r.tenant_id = $1 and r.notification_id = f.notification_id and r.route_id = f.route_id
       for update of r
     ), timed as (
       update routes r set
         delivered_at = coalesce(r.delivered_at, n.delivered_at), opened_at = coalesce(r.opened_at, n.opened_at),
         bounced_at = coalesce(r.bounced_at, n.bounced_at), updated_at = now()
       from news n where r.tenant_id = $1 and r.notification_id = n.notification_id and r.route_id = n.route_id
       returning n.*
     ), told as (
       select emit_events(jsonb_agg(jsonb_build_object('event', e.event, 'tenant_id', $1::uuid,
         'notification_id', t.notification_id, 'route_id', t.route_id)))
       from timed t cross join lateral (
         select 'notification.delivered' as event where t.delivered_at is not null and t.was_delivered is null
         union all
         select 'notification.failed' where t.bounced_at is not null and t.was_bounced is null
       ) e
       where exists (select from endpoints_for($1, e.event, array[t.user_id]))
     ), suppressed as (
       insert into suppressions (tenant_id, channel, address, reason, detail)
       select distinct on (lower(suppress_address)) $1::uuid, $3, lower(suppress_address), suppress_reason, left(detail, 500)
       from fresh where suppress_address <> ''
       on conflict do nothing
     )
     select count(*)::integer as applied, (select count(*) from told)::integer as told from noted`,
    [tenantId, providerId, channel, JSON.stringify(feedback.map(toInput))],
  )
  return rows[0]!.applied
}

function toInput(feedback: Feedback) {
  const { message_id, event_id, kind, detail, at, suppress } = feedback
  return {
    message_id,
    // Some services make ids longer than anybody needs.
    event_id: event_id.length <= 255 ? event_id : createHash('sha256').update(event_id).digest('hex'),
    kind,
    detail,
    at: at.toISOString(),
    suppress_address: suppress?.address ?? '',
    suppress_reason: suppress?.reason ?? '',
  }
}
