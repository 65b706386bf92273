/** What waits in the database, and what is wrong there: asked at every scrape, and the same in every process. */
import { CHANNELS } from '@carillon/contract'
import { Gauge, type Registry } from 'prom-client'
import { isUnavailableError } from '../../platform/database/errors.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { INVARIANT_NAMES } from '../invariants/invariants.ts'
import type { StreamMetrics, StreamState } from './stream-metrics.ts'

/** `refresh` asks the database; without one, depths and ages are missing. */
export function createQueueMetrics(
  register: Registry,
  pool: Pool,
  streams: Pick<StreamMetrics, 'show'>,
): { refresh(): Promise<void> } {
  const registers = [register]
  const depth = new Gauge({
    name: 'carillon_due_routes',
    help: 'Routes due now',
    labelNames: ['channel'],
    registers,
  })
  const age = new Gauge({
    name: 'carillon_oldest_due_seconds',
    help: 'How long the oldest due route has been waiting',
    registers,
  })
  const outboxDepth = new Gauge({
    name: 'carillon_outbox_due',
    help: 'Outbox rows due now',
    labelNames: ['source_kind'],
    registers,
  })
  const outboxAge = new Gauge({
    name: 'carillon_outbox_oldest_due_seconds',
    help: 'How long the oldest due outbox row has been waiting',
    labelNames: ['source_kind'],
    registers,
  })
  const letters = new Gauge({
    name: 'carillon_open_dead_letters',
    help: 'Dead letters that are not resolved',
    registers,
  })

  const eventLag = new Gauge({
    name: 'carillon_event_lag',
    help: 'Events in the logs of all tenants that a consumer has still to read',
    labelNames: ['consumer'],
    registers,
  })
  const eventAge = new Gauge({
    name: 'carillon_event_cursor_oldest_seconds',
    help: 'How long the cursor that has waited longest has not moved, though there are events after it',
    labelNames: ['consumer'],
    registers,
  })

  const violations = new Gauge({
    name: 'carillon_invariant_violations',
    help: 'Rows that break an invariant; all are named, and 0 is what they should be',
    labelNames: ['invariant'],
    registers,
  })
  const reconciled = new Gauge({
    name: 'carillon_reconciled_seconds',
    help: 'How long ago the reconciler had last looked through every table; missing before the first time',
    registers,
  })
  const breakers = new Gauge({
    name: 'carillon_open_breakers',
    help: 'Providers whose breaker is open, by channel',
    labelNames: ['channel'],
    registers,
  })

  const databaseUp = new Gauge({
    name: 'carillon_database_up',
    help: 'Whether the database answered this scrape; when it did not, depths and ages are missing',
    registers,
  })

  function showQueues(state: QueueState | undefined): void {
    for (const gauge of [depth, outboxDepth, outboxAge, eventLag, eventAge, violations, breakers])
      gauge.reset()
    streams.show(state?.streams)
    databaseUp.set(state === undefined ? 0 : 1)
    if (state === undefined) {
      // A zero would say that all is well.
      for (const gauge of [age, letters, reconciled]) gauge.remove()
      return
    }
    for (const { channel, due } of state.due) depth.set({ channel }, due)
    age.set(state.oldest_seconds)
    letters.set(state.open_letters)
    for (const { source_kind, due, oldest_seconds } of state.outbox ?? []) {
      outboxDepth.set({ source_kind }, due)
      outboxAge.set({ source_kind }, oldest_seconds)
    }
    for (const invariant of INVARIANT_NAMES) violations.set({ invariant }, state.violations?.[invariant] ?? 0)
    if (state.reconciled_seconds === null) reconciled.remove()
    else reconciled.set(state.reconciled_seconds)
    for (const channel of CHANNELS) breakers.set({ channel }, state.breakers?.[channel] ?? 0)
    for (const { consumer, lag, oldest_seconds } of state.events) {
      eventLag.set({ consumer }, lag)
      eventAge.set({ consumer }, oldest_seconds)
    }
  }

  return { refresh: async () => showQueues(await selectQueueState(pool).catch(unlessUnavailable)) }
}

/** A process without its database still shows what it does itself: then the figures are needed most. */
function unlessUnavailable(error: unknown): undefined {
  if (!isUnavailableError(error)) throw error
}

interface QueueState {
  due: { channel: string; due: number }[]
  oldest_seconds: number
  open_letters: number
  outbox: { source_kind: string; due: number; oldest_seconds: number }[] | null
  events: { consumer: string; lag: number; oldest_seconds: number }[]
  violations: Record<string, number> | null
  reconciled_seconds: number | null
  breakers: Record<string, number> | null
  streams: StreamState[]
}

/** Routes that a worker has claimed are not waiting, so they are left out of depth and age. */
async function selectQueueState(pool: Pool): Promise<QueueState> {
  const { rows } = await pool.query<QueueState>(
    `with waiting as (
       select channel, count(*)::integer as due, min(next_attempt_at) as oldest from routes
       where next_attempt_at <= now() and (lease_until is null or lease_until <= now()) group by channel
     )
     select coalesce(jsonb_agg(jsonb_build_object('channel', channel, 'due', due)), '[]') as due,
       coalesce(extract(epoch from now() - min(oldest)), 0)::float8 as oldest_seconds,
       (select count(*) from dead_letters where resolved_at is null)::integer as open_letters,
       (select jsonb_agg(o) from (
         select source_kind, count(*)::integer as due,
           extract(epoch from now() - min(next_attempt_at))::float8 as oldest_seconds
         from outbox where next_attempt_at <= now() and (lease_until is null or lease_until <= now()) group by source_kind
       ) o) as outbox,
       (select jsonb_agg(e) from (
         select c.consumer, w.lag, w.oldest_seconds from unnest(event_consumers()) as c (consumer)
         cross join lateral (
           select coalesce(sum(p.head_id - p.last_event_id), 0)::float8 as lag,
             coalesce(extract(epoch from now() - min(p.moved_at)), 0)::float8 as oldest_seconds
           from domain_events_processed p where p.consumer = c.consumer and p.last_event_id < p.head_id
         ) w
       ) e) as events,
       (select jsonb_object_agg(v.invariant, v.count) from (
         select invariant, count(*) from invariant_violations where confirmed_at is not null group by invariant
       ) v) as violations,
       (select case when bool_and(finished_at is not null) then extract(epoch from now() - min(finished_at)) end::float8
        from invariant_walks) as reconciled_seconds,
       (select jsonb_object_agg(b.channel, b.count) from (
         select c.channel, count(*) from provider_health h join provider_configs c on c.id = h.provider_id
         where h.state <> 'closed' and c.is_active group by c.channel
       ) b) as breakers,
       (select coalesce(jsonb_agg(s), '[]') from (
         select name as stream, sum(waiting)::float8 as waiting,
           coalesce(extract(epoch from now() - min(oldest_at)), 0)::float8 as oldest_seconds,
           bool_and(paused_at is not null) as is_paused
         from streams group by name
       ) s) as streams
     from waiting`,
  )
  return rows[0]!
}
