/** Earlier attempts of a route that may have reached the person. */
import type { Executor } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from './claim.ts'

export interface Doubts {
  /** Without a provider: it was lost with its worker. */
  attempts: DoubtfulAttempt[]
  /** The service has reported something about the message, so it has it. */
  wasReported: boolean
}

export interface DoubtfulAttempt {
  provider: string
  /** Nothing more was to be sent before the service has been asked. */
  isAsked: boolean
  startedAt: Date
  endedAt: Date
}

interface DoubtRow {
  provider: string
  is_asked: boolean
  started_at: Date
  ended_at: Date
  was_reported: boolean
}

/**
 * Only attempts since the last replay: whoever replays a dead letter wants the message to be sent.
 */
export async function selectDoubts(
  db: Executor,
  route: Pick<ClaimedRoute, 'tenant_id' | 'notification_id' | 'route_id' | 'attempt_count'>,
): Promise<Doubts> {
  const { rows } = await db.query<DoubtRow>(
    `select a.provider, a.outcome = 'uncertain' and a.calls @> '[{"is_asked": true}]' as is_asked,
       a.started_at, a.started_at + make_interval(secs => a.duration_ms / 1000.0) as ended_at,
       coalesce(r.delivered_at, r.opened_at, r.bounced_at) is not null as was_reported
     from routes r cross join lateral (
       select x.outcome, x.provider, x.calls, x.started_at, x.duration_ms from route_attempts x
       where x.tenant_id = r.tenant_id and x.notification_id = r.notification_id and x.route_id = r.route_id
         and x.outcome not in ('skipped', 'postponed')
       order by x.attempt_no desc limit $4
     ) a
     where r.tenant_id = $1 and r.notification_id = $2 and r.route_id = $3 and a.outcome in ('uncertain', 'lost')`,
    [route.tenant_id, route.notification_id, route.route_id, route.attempt_count - 1],
  )
  return {
    attempts: rows.map(row => ({
      provider: row.provider,
      isAsked: row.is_asked,
      startedAt: row.started_at,
      endedAt: row.ended_at,
    })),
    wasReported: rows.some(row => row.was_reported),
  }
}
