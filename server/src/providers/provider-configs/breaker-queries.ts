/** The SQL of breakers. */
import type { Client, Executor } from '../../platform/database/pool.ts'

/**
 * Answers whether this call opened the breaker, so that only one process tells the operator. The lock on the provider's
 * row makes it wait for somebody who is switching the provider off, and then open nothing.
 */
export async function openBreaker(
  tx: Client,
  providerId: string,
  error: string,
  coolDownMs: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into provider_health as h (provider_id, state, retry_at, cool_down_ms, last_error)
     select p.id, 'open', now() + make_interval(secs => $3::float8 / 1000), $3, $2
     from provider_configs p where p.id = $1 and p.is_active for share
     on conflict (provider_id) do update set state = 'open', retry_at = excluded.retry_at,
       cool_down_ms = excluded.cool_down_ms, last_error = excluded.last_error, changed_at = now()
     where h.state = 'closed'`,
    [providerId, error, coolDownMs],
  )
  return rowCount === 1
}

/**
 * There is one probe at a time over all processes. Answers when this one counts as lost, which also identifies it;
 * undefined if the breaker is closed, cooling down or being probed.
 */
export async function takeProbe(
  db: Executor,
  providerId: string,
  probeTimeoutMs: number,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ retry_at: Date }>(
    `update provider_health set state = 'half_open', retry_at = now() + make_interval(secs => $2::float8 / 1000),
       changed_at = now()
     where provider_id = $1 and state <> 'closed' and retry_at <= now()
     returning retry_at`,
    [providerId, probeTimeoutMs],
  )
  return rows[0]?.retry_at
}

/** After a failed probe. A probe that was lost and reports after all changes nothing. */
export async function reopenBreaker(
  db: Executor,
  providerId: string,
  probeLostAt: Date,
  error: string,
  maxCoolDownMs: number,
): Promise<void> {
  await db.query(
    `update provider_health set state = 'open', cool_down_ms = least(cool_down_ms * 2, $4),
       retry_at = now() + make_interval(secs => least(cool_down_ms * 2, $4)::float8 / 1000), last_error = $3, changed_at = now()
     where provider_id = $1 and state = 'half_open' and retry_at = $2`,
    [providerId, probeLostAt, error, maxCoolDownMs],
  )
}

/** After a probe that told nothing: the cool-down stays as it was. */
export async function returnProbe(
  db: Executor,
  providerId: string,
  probeLostAt: Date,
  waitMs: number,
): Promise<void> {
  await db.query(
    `update provider_health set state = 'open', retry_at = now() + make_interval(secs => $3::float8 / 1000),
       changed_at = now()
     where provider_id = $1 and state = 'half_open' and retry_at = $2`,
    [providerId, probeLostAt, waitMs],
  )
}

export async function closeBreaker(db: Executor, providerId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update provider_health set state = 'closed', retry_at = null, changed_at = now()
     where provider_id = $1 and state <> 'closed'`,
    [providerId],
  )
  return rowCount === 1
}
