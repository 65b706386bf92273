/** Many rows in every table, nearly all of them finished, as after some months; and how a query would read them. */
import type { Pool } from '../src/db/pool.ts'

export async function fillDatabase(pool: Pool, tenantId: string, rows: number): Promise<void> {
  const fill = (sql: string) =>
    pool.query(sql.replaceAll('$tenant', `'${tenantId}'`).replaceAll('$rows', String(rows)))
  await fill(`insert into users (tenant_id, id, email, username)
    select $tenant, 'u' || n, 'u' || n || '@x.io', 'name' || n from generate_series(1, $rows) n`)
  await fill(`insert into notification_preferences (tenant_id, user_id, channel, enabled, frequency_cap)
    select $tenant, 'u' || n, 'email', n % 10 > 0, 5 from generate_series(1, $rows) n`)
  await fill(`insert into daily_sends (tenant_id, user_id, channel, day, used, cap, granted)
    select $tenant, 'u' || n, 'email', current_date - n % 3, 1, 5, 1 from generate_series(1, $rows) n`)
  await fill(`insert into watches (tenant_id, topic, user_id, level)
    select $tenant, 't' || n % 50, 'u' || n, 'all' from generate_series(1, $rows) n`)
  await fill(`insert into api_keys (id, tenant_id, name, key_hash, hint)
    select gen_random_uuid(), $tenant, 'k', encode(sha256(n::text::bytea), 'hex'), '' from generate_series(1, $rows) n`)
  await fill(`insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels,
      payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms,
      accepted_at, expanded_at, updated_at)
    select $tenant, uuid_v7(), 't' || n % 20, 'p' || n % 5, 'users', '{email}', '{}', 'k' || n, '', now(), 'http', 1, 1,
      now() - make_interval(mins => n), now(), now() from generate_series(1, $rows) n`)
  await fill(`insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, user_id, status,
      max_attempts, next_attempt_at, sent_at, dead_at, created_at, updated_at)
    select tenant_id, notification_id, 'r', case n % 3 when 0 then 'push' else 'email' end, 'user:u' || n, 'u' || n,
      s.status, 5, case s.status when 'pending' then now() end, case s.status when 'sent' then now() end,
      case s.status when 'dead' then now() end, accepted_at, now()
    from (select *, row_number() over () as n from records) x
    cross join lateral (
      select case when n % 100 = 0 then 'pending' when n % 50 = 1 then 'dead' else 'sent' end
    ) s (status)`)
  await fill(`insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, worker, started_at)
    select tenant_id, notification_id, route_id, 1, 'sent', 'w', now() from routes`)
  await fill(`insert into dead_letters (tenant_id, source_kind, notification_id, route_id, notification_type, channel,
      recipient_ref, final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message,
      created_at, resolved_at, resolution)
    select tenant_id, 'route', notification_id, route_id, 't', channel, '', 1, 1, 'permanent_failure', 'permanent', '',
      created_at, case when status <> 'dead' then now() end, case when status <> 'dead' then 'ignored' end from routes`)
  await fill(`insert into malformed_intents (tenant_id, source, source_entry_id, failure_code, failure_message,
      raw_fields, recorded_at)
    select $tenant, 'http', n::text, 'c' || n % 10, '', '{}', now() - make_interval(mins => n)
    from generate_series(1, $rows) n`)
  await fill(`insert into captured_messages (tenant_id, message_id, notification_id, route_id, channel,
      notification_type, recipient_ref, address, locale, subject, text, captured_at)
    select tenant_id, notification_id::text, notification_id, 'r', channel, '', '', '', '', '', '', created_at from routes`)
  await fill(`insert into admin_system_events (tenant_id, event_type, severity, description, created_at)
    select $tenant, 'e' || n % 10, 'low', '', now() - make_interval(mins => n) from generate_series(1, $rows) n`)
  await fill(`insert into digests (id, tenant_id, notification_type, channel, recipient_ref, user_id, key, closes_at,
      closed_at, item_count, created_at)
    select notification_id, tenant_id, 't', channel, recipient_ref, user_id, '', now(),
      case when status <> 'pending' then now() end, case when status <> 'pending' then 3 end, created_at from routes`)
  await fill(`insert into throttles (tenant_id, notification_type, recipient_ref, key, expires_at)
    select tenant_id, 't', recipient_ref, '', created_at + interval '100 days' from routes`)
  await fill(`insert into schedules (id, tenant_id, name, cron, timezone, intent, producer, next_run_at)
    select uuid_v7(), $tenant, 'n', '@daily', 'UTC', '{}', 'api', now() + make_interval(mins => n - 100)
    from generate_series(1, $rows) n`)
  await pool.query('vacuum analyze')
}

export interface Statement {
  text: string
  values: unknown[]
}

/** What the function would ask the database; it gets one row of nothing as every answer. */
export async function statementsOf(call: (db: Pool) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const query = async (asked: string | Statement, values: unknown[] = []) => {
    statements.push(typeof asked === 'string' ? { text: asked, values } : asked)
    return { rows: [{ due: [], oldest_seconds: 0, open_letters: 0, own: null, defaults: null }], rowCount: 0 }
  }
  await call({ query } as unknown as Pool)
  return statements
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}

/** The tables a plan reads from end to end, and the indexes it uses. */
export function readingOf(plan: Plan): { whole: string[]; indexes: string[] } {
  const nodes = nodesOf(plan)
  const whole = nodes
    .filter(node => node['Node Type'] === 'Seq Scan')
    .map(node => node['Relation Name'] ?? '')
  return { whole, indexes: nodes.flatMap(node => node['Index Name'] ?? []) }
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
