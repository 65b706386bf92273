/** The SQL of limits; server/functions/limits/count_requests.sql and count_tries.sql have the rules. */
import type { Executor } from '../../platform/database/pool.ts'
import type { Counted, RequestAsk, TryAsk } from './store.ts'

/** One answer per question, in the same order. Tests pass the time in `at`. */
export async function countRequests(db: Executor, asks: RequestAsk[], at: Date | null): Promise<Counted[]> {
  const { rows } = await db.query<Counted>(
    `select granted, used, reset_ms from count_requests($1::jsonb, coalesce($2::timestamptz, clock_timestamp()))
     order by ord`,
    [JSON.stringify(asks.map(toParameters)), at],
  )
  return rows
}

export async function countTry(db: Executor, ask: TryAsk, at: Date | null): Promise<Counted> {
  const { rows } = await db.query<Counted>(
    'select granted, used, reset_ms from count_tries($1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, clock_timestamp()))',
    [ask.tenant_id, ask.key_hash, ask.limit, ask.window_seconds * 1000, ask.known.used, ask.known.ms, at],
  )
  return rows[0]!
}

function toParameters(ask: RequestAsk, ord: number) {
  const { tenant_id, user_id, api_key_id } = ask.caller
  return {
    ord,
    tenant_id,
    user_id,
    api_key_id: user_id === null ? api_key_id : null,
    limit_type: ask.limit_type,
    window_seconds: ask.window_seconds,
    allowed: ask.limit,
    wanted: ask.wanted,
    known: ask.known.used,
    known_ms: ask.known.ms,
  }
}
