/** Prometheus metrics. Queue depth and age are read from the database at scrape time, so every process reports the same. */
import type { AttemptOutcome, Channel, RouteReason, StreamKind } from '@carillon/contract'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ServedRequest } from '../../platform/calls/served-request.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createBackupMetrics, type ShowBackups } from './backup-metrics.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { createQueueMetrics } from './queue-metrics.ts'
import { createScriptMetrics, type ScriptMetrics } from './script-metrics.ts'
import { createStreamMetrics, type StreamMetrics } from './stream-metrics.ts'

export interface Metrics {
  attempted(channel: Channel, outcome: AttemptOutcome, durationMs: number): void
  /** A gate kept a message from being sent, for good or for now. */
  heldBack(channel: Channel, outcome: AttemptOutcome, reason: RouteReason | ''): void
  acceptedBatch(size: number): void
  wrongKey(answer: 'refused' | 'throttled'): void
  dispatched(sourceKind: string, outcome: string, durationMs: number): void
  /** Spans that did not reach the collector of traces. */
  droppedSpans(count: number): void
  /** Something was offered to one of the operator's streams. */
  published(stream: StreamKind, arrived: boolean): void
  /** From now on, shows how old the last backup is, and whether the log is archived. */
  readonly backedUp: ShowBackups
  /** From now on, shows how many inbox streams are open. */
  showLiveConnections(count: () => number): void
  readonly scripts: ScriptMetrics
  readonly streams: StreamMetrics
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
  const droppedSpans = new Counter({
    name: 'carillon_spans_dropped_total',
    help: 'Spans that could not be sent to the collector of traces',
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
  const publications = new Counter({
    name: 'carillon_published_total',
    help: 'Events published to a stream of the operator, by stream and outcome: arrived, or failed and tried again',
    labelNames: ['stream', 'outcome'],
    registers,
  })
  const streams = createStreamMetrics(registry)
  const queues = createQueueMetrics(registry, pool, streams)
  return {
    attempted(channel, outcome, durationMs) {
      attempts.inc({ channel, outcome })
      duration.observe({ channel }, durationMs / 1000)
    },
    heldBack: (channel, outcome, reason) => held.inc({ channel, outcome, reason }),
    acceptedBatch: size => batchSize.observe(size),
    droppedSpans: count => droppedSpans.inc(count),
    wrongKey: answer => wrongKeys.inc({ answer }),
    dispatched(source_kind, outcome, durationMs) {
      dispatches.inc({ source_kind, outcome })
      dispatchDuration.observe({ source_kind }, durationMs / 1000)
    },
    published: (stream, arrived) => publications.inc({ stream, outcome: arrived ? 'arrived' : 'failed' }),
    showLiveConnections(count) {
      const name = 'carillon_live_connections'
      const collect = (): void => gauge.set(count())
      const gauge: Gauge = new Gauge({ name, help: 'Open inbox streams of this process', registers, collect })
    },
    backedUp: createBackupMetrics(registry),
    scripts: createScriptMetrics(registry),
    streams,
    served: createHttpMetrics(registry),
    async text() {
      await queues.refresh()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}
