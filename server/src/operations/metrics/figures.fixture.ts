/** Notifications of past hours, and the figures counted from them. */
import { beforeEach } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { rollUpMetrics } from './rollup.ts'

interface PastRoutes {
  /** When they were accepted: hours before the current one began, and minutes into that hour. */
  hoursAgo: number
  minute?: number
  count?: number
  status?: string
  provider?: string
  channel?: string
  type?: string
  /** From creation to sending. */
  deliveryMs?: number
  sendLater?: boolean
}

/** A Carillon whose figures start empty for every test. */
export function useFigures() {
  const carillon = useCarillon()
  beforeEach(async () => {
    await carillon.pool.query('delete from records')
    await carillon.pool.query('delete from notification_metrics')
  })
  return {
    carillon,
    addRoutes: (options: PastRoutes) => addRoutes(carillon.pool, carillon.tenantId, options),
    /** Sends what is pending, as it would look afterwards. */
    settlePending: () =>
      carillon.pool.query(
        "update routes set status = 'sent', sent_at = created_at, next_attempt_at = null where status = 'pending'",
      ),
    rollUp: () => rollUpMetrics(carillon.pool),
    hourly: () => carillon.readAll('/v1/metrics?period=hour'),
    daily: () => carillon.readAll('/v1/metrics?period=day'),
    /** Makes the figures look as if they had been counted that long ago. */
    age: (interval: string) =>
      carillon.pool.query('update notification_metrics set updated_at = now() - $1::interval', [interval]),
  }
}

/** Inserts records with one route each, as they would look after delivery. */
async function addRoutes(pool: Pool, tenantId: string, options: PastRoutes): Promise<void> {
  const { hoursAgo, minute = 30, count = 1, status = 'sent', provider = 'smtp', channel = 'email' } = options
  await pool.query(
    `with input as (
       select uuid_v7() as id, date_trunc('hour', now()) - make_interval(hours => $2::integer, mins => -$3::integer) as at
       from generate_series(1, $4::integer)
     ), kept as (
       insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels, payload_json,
         idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms, accepted_at,
         expanded_at, updated_at, send_at)
       select $1, id, $8::text, 'p', 'addresses', array[$7::text], '{}', id::text, '', now(), 'http', 1, 1, at, at, at,
         case when $10::boolean then at + interval '10 minutes' end from input
     )
     insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, status, provider, max_attempts,
       next_attempt_at, reason, created_at, updated_at, sent_at, dead_at, skipped_at, cancelled_at, expired_at)
     select $1, id, 'r', $7::text, '', $5::text, $6::text, 5, case when $5::text in ('pending', 'retrying') then now() end, 'because', at, at,
       case when $5::text = 'sent' then at + make_interval(secs => $9::float8 / 1000, mins => case when $10::boolean then 10 else 0 end) end,
       case when $5::text = 'dead' then at end, case when $5::text = 'skipped' then at end, case when $5::text = 'cancelled' then at end,
       case when $5::text = 'expired' then at end from input`,
    [
      tenantId,
      hoursAgo,
      minute,
      count,
      status,
      provider,
      channel,
      options.type ?? 'welcome',
      options.deliveryMs ?? 100,
      options.sendLater ?? false,
    ],
  )
}
