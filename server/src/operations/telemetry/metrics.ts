/** Prometheus metrics. Queue depth and age are read from the database at scrape time, so every process reports the same. */
import type { AttemptOutcome, Channel, RouteReason } from '@carillon/contract'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ServedRequest } from '../../platform/calls/served-request.ts'
import { isUnavailableError } from '../../platform/database/errors.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { createScriptMetrics, type ScriptMetrics } from './script-metrics.ts'

export interface Metrics {
  attempted(channel: Channel, outcome: AttemptOutcome, durationMs: number): void
  /** A gate kept a message from being sent, for good or for now. */
  heldBack(channel: Channel, outcome: AttemptOutcome, reason: RouteReason | ''): void
  acceptedBatch(size: number): void
  wrongKey(answer: 'refused' | 'throttled'): void
  dispatched(sourceKind: string, outcome: string, durationMs: number): void
  /** From now on, shows how many inbox streams are open. */
  showLiveConnections(count: () => number): void
  readonly scripts: ScriptMetrics
  served(request: ServedRequest): void
  text(): Promise<string>
  readonly contentType: string
}

export function createMetrics(pool: Pool): Metrics {
  const registry = new Registry()
  addProcessMetrics(registry)
  const registers = [registry]

  const attempts = new Counter({
    name: 'carillon_attempts_total',
    help: 'Delivery attempts by channel and outcome',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  const held = new Counter({
    name: 'carillon_held_back_total',
    help: 'Messages skipped, postponed, cancelled or expired before sending, by reason',
    labelNames: ['channel', 'outcome', 'reason'],
    registers,
  })
  const duration = new Histogram({
    name: 'carillon_attempt_duration_seconds',
    help: 'Duration of a delivery attempt',
    labelNames: ['channel'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers,
  })
  const batchSize = new Histogram({
    name: 'carillon_accept_batch_size',
    help: 'Intents accepted by one statement',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  })
  const wrongKeys = new Counter({
    name: 'carillon_wrong_keys_total',
    help: 'Requests with an unknown, revoked or expired API key, by answer: refused, or throttled without looking it up',
    labelNames: ['answer'],
    registers,
  })
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
  const dispatches = new Counter({
    name: 'carillon_dispatches_total',
    help: 'Dispatches from the outbox by source and outcome',
    labelNames: ['source_kind', 'outcome'],
    registers,
  })
  const dispatchDuration = new Histogram({
    name: 'carillon_dispatch_duration_seconds',
    help: 'Duration of a dispatch',
    labelNames: ['source_kind'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
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

  const databaseUp = new Gauge({
    name: 'carillon_database_up',
    help: 'Whether the database answered this scrape; when it did not, depths and ages are missing',
    registers,
  })

  function showQueues(state: QueueState | undefined): void {
    for (const gauge of [depth, outboxDepth, outboxAge, eventLag, eventAge]) gauge.reset()
    databaseUp.set(state === undefined ? 0 : 1)
    if (state === undefined) {
      // A zero would say that all is well.
      for (const gauge of [age, letters]) gauge.remove()
      return
    }
    for (const { channel, due } of state.due) depth.set({ channel }, due)
    age.set(state.oldest_seconds)
    letters.set(state.open_letters)
    for (const { source_kind, due, oldest_seconds } of state.outbox ?? []) {
      outboxDepth.set({ source_kind }, due)
      outboxAge.set({ source_kind }, oldest_seconds)
    }
    for (const { consumer, lag, oldest_seconds } of state.events) {
      eventLag.set({ consumer }, lag)
      eventAge.set({ consumer }, oldest_seconds)
    }
  }

  return {
    attempted(channel, outcome, durationMs) {
      attempts.inc({ channel, outcome })
      duration.observe({ channel }, durationMs / 1000)
    },
    heldBack: (channel, outcome, reason) => held.inc({ channel, outcome, reason }),
    acceptedBatch: size => batchSize.observe(size),
    wrongKey: answer => wrongKeys.inc({ answer }),
    dispatched(source_kind, outcome, durationMs) {
      dispatches.inc({ source_kind, outcome })
      dispatchDuration.observe({ source_kind }, durationMs / 1000)
    },
    showLiveConnections(count) {
      const name = 'carillon_live_connections'
      const collect = (): void => gauge.set(count())
      const gauge: Gauge = new Gauge({ name, help: 'Open inbox streams of this process', registers, collect })
    },
    scripts: createScriptMetrics(registry),
    served: createHttpMetrics(registry),
    async text() {
      showQueues(await selectQueueState(pool).catch(unlessUnavailable))
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
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
       ) e) as events
     from waiting`,
  )
  return rows[0]!
}
