/** A history: records whose routes were sent long ago, with their attempts. */
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { PAYLOAD, TYPE, USERS } from '../tenant.ts'

const ROUTES_PER_RECORD = 10

/**
 * Inserts sets of rows, without checking references that are correct by construction: a million rows in seconds. Their times
 * are spread over a month that ended so many days ago.
 */
export async function addFinishedRoutes(
  pool: Pool,
  tenantId: string,
  count: number,
  daysAgo = 0,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await insertRecords(client, tenantId, count / ROUTES_PER_RECORD, daysAgo)
    await insertRoutes(client)
    await insertAttempts(client)
    await client.query('commit')
  } finally {
    client.release()
  }
}

type Client = Pick<Pool, 'query'>

/** Ids and times in order. */
async function insertRecords(
  client: Client,
  tenantId: string,
  count: number,
  daysAgo: number,
): Promise<void> {
  await client.query(
    `insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, recipients, channels,
       payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms,
       accepted_at, expanded_at, updated_at)
     select $1, overlay(gen_random_uuid()::text placing left(at.hex, 8) || '-' || right(at.hex, 4) || '-7' from 1 for 15)::uuid, $2,
       'past', 'users', array(select 'user-' || (n + i) % $3 from generate_series(0, $4 - 1) i), '{email}', $5,
       'past-' || n, repeat('0', 64), at.past, 'bench', 10000, 3600000, at.past, at.past, at.past
     from generate_series(1, $6) n
     cross join lateral (select now() - make_interval(days => $7, secs => 2592000 - n * (2592000.0 / $6)) as past) t
     cross join lateral (select past, lpad(to_hex((extract(epoch from past) * 1000)::bigint), 12, '0') as hex) at`,
    [tenantId, TYPE, USERS, ROUTES_PER_RECORD, JSON.stringify(PAYLOAD), count, daysAgo],
  )
}

async function insertRoutes(client: Client): Promise<void> {
  await client.query(
    `insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address,
       resolved_locale, status, attempt_count, claim_count, max_attempts, provider, created_at, updated_at, sent_at)
     select tenant_id, notification_id, 'email:user:' || user_id, 'email', 'user:' || user_id, user_id,
       user_id || '@example.com', 'en', 'sent', 1, 1, 7, 'no-op', accepted_at, accepted_at, accepted_at
     from records, unnest(recipients) as user_id order by notification_id`,
  )
}

async function insertAttempts(client: Client): Promise<void> {
  await client.query(
    `insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, provider, worker, started_at)
     select tenant_id, notification_id, route_id, 1, 'sent', 'no-op', 'bench', sent_at
     from routes order by notification_id`,
  )
}
