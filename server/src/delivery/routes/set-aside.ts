/** For a completion that the database refuses however bare it is: a sent route ends, so that nothing is sent twice. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { Completion } from './complete.ts'

/**
 * Changes nothing but the route: whatever was refused is in what else a completion writes. Its attempt is not logged and no
 * event is emitted, which is why operators are told. A dead route still gets a letter that says nothing of the service's, so
 * that it can be replayed; if even that is refused, it stays pending and is tried again when its lease has run out, since
 * nobody would find it without its letter. False if the route is no longer ours.
 */
export async function setRouteAside(
  pool: Pool,
  owner: string,
  completion: Completion,
  error: unknown,
): Promise<boolean> {
  const { tenant_id, notification_id, route_id, status } = completion
  const isOurs = await endRoute(pool, owner, completion, status === 'dead' ? WITH_LETTER : ALONE)
  if (!isOurs) return false
  await raiseSystemEvent(pool, {
    tenant_id,
    event_type: 'completion_refused',
    severity: 'high',
    description:
      'What became of a message could not be stored: its route has the right status, and nothing else of it.',
    // Not the message, which may quote what was to be stored.
    details: {
      notification_id,
      route_id,
      status,
      sql_state: String((error as { code?: unknown }).code ?? ''),
    },
  })
  return true
}

const ALONE = 'select 1 from updated'
const WITH_LETTER = `select open_dead_letters(jsonb_agg(jsonb_build_object('tenant_id', u.tenant_id, 'source_kind', 'route',
    'notification_id', u.notification_id, 'route_id', u.route_id, 'notification_type', rec.notification_type,
    'channel', u.channel, 'recipient_ref', u.recipient_ref, 'final_attempt_count', u.attempt_count,
    'max_attempts', u.max_attempts, 'failure_reason', $9::text, 'failure_classification', $10::text,
    'failure_message', $8::text, 'recovery_hint', $11::text, 'trigger_depth', rec.trigger_depth,
    'provider', u.provider, 'template_version_id', u.template_version_id)))
  from updated u join records rec on rec.tenant_id = u.tenant_id and rec.notification_id = u.notification_id
  having count(*) > 0`

async function endRoute(pool: Pool, owner: string, completion: Completion, then: string): Promise<boolean> {
  const { tenant_id, notification_id, route_id, claim_count, status, delay_ms } = completion
  const { failure_reason, classification, recovery_hint } = completion
  const { rowCount } = await pool.query(
    `with updated as (
     update routes set status = $6, next_attempt_at = now() + make_interval(secs => $7::float8 / 1000),
       lease_owner = null, lease_until = null, last_error_message = $8, last_error_at = now(),
       sent_at = case when $6 = 'sent' then now() end, dead_at = case when $6 = 'dead' then now() end,
       skipped_at = case when $6 = 'skipped' then now() end, cancelled_at = case when $6 = 'cancelled' then now() end,
       expired_at = case when $6 = 'expired' then now() end, updated_at = now()
     where tenant_id = $1 and notification_id = $2 and route_id = $3 and claim_count = $4 and lease_owner = $5
     returning tenant_id, notification_id, route_id, channel, recipient_ref, attempt_count, max_attempts,
       provider, template_version_id
     ) ${then}`,
    [
      ...[tenant_id, notification_id, route_id, claim_count, owner, status, delay_ms, SET_ASIDE],
      ...(then === ALONE ? [] : [failure_reason, classification, recovery_hint]),
    ],
  )
  return rowCount === 1
}

const SET_ASIDE = 'What became of the last attempt could not be stored.'
