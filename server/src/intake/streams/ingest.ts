/** Everything that reads streams in one process. */
import type { StreamSetting } from '../../platform/config/stream-settings.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createConcurrencyLimit } from '../../platform/queue/concurrency-limit.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { createAcceptor } from '../intents/accept.ts'
import { acceptEntries, type Settled } from './accept-entries.ts'
import { createStreamKeeper, type KeptStream } from './keeper.ts'
import { createNatsSource } from './nats-source.ts'
import { createStreamReader } from './reader.ts'
import { createRedisSource } from './redis-source.ts'
import { createStreamReports } from './reports.ts'
import type { StreamSource } from './source.ts'
import { traceEntries } from './traced-acceptor.ts'

export interface IngestOptions {
  pool: Pool
  /** Each with its address. */
  settings: StreamSetting[]
  /** Names this process in consumer groups. */
  owner: string
  leaseMs: number
  shutdownMs: number
  /** Statements that all streams of the process may run at once, so that connections are left for everything else. */
  statements: number
  tracing?: Tracing | undefined
  onAccepted: () => void
  onBatch: (size: number) => void
  onSettled: (stream: string, as: Settled, count: number) => void
  onTrimmed: (stream: string, count: number) => void
  onMissingTenant: (setting: StreamSetting) => void
  onError: (part: string) => (error: unknown) => void
  reportMs?: number
}

export function createIngest(options: IngestOptions): Service[] {
  const { pool, settings, onError } = options
  if (settings.length === 0) return []
  // First come, first served, and no stream waits in the line more than twice: so they take turns.
  const limit = createConcurrencyLimit(options.statements)
  const streams = settings.map((setting): KeptStream => {
    // One per stream: what holds up a statement, such as somebody else's lock, holds up no other stream.
    const { onAccepted, onBatch } = options
    const acceptor = traceEntries(
      options.tracing,
      createAcceptor({ pool, onAccepted, onBatch, limit }),
      setting,
    )
    const stream: KeptStream = {
      setting,
      tenantId: undefined,
      reader: createStreamReader({
        name: `stream ${setting.name}`,
        source: createSource(options, setting),
        accept: entries =>
          acceptEntries({ pool, acceptor, origin: originOf(setting, stream.tenantId!) }, entries),
        leaseMs: options.leaseMs,
        shutdownMs: options.shutdownMs,
        onSettled: (as, count) => options.onSettled(setting.name, as, count),
        onError: onError(`stream ${setting.name}`),
      }),
    }
    return stream
  })
  const { onMissingTenant, reportMs } = options
  return [
    ...streams.map(({ reader }) => reader),
    createStreamKeeper({
      pool,
      streams,
      onMissingTenant,
      onError: onError('stream keeper'),
    }),
    createStreamReports({
      pool,
      streams,
      onError: onError('stream reports'),
      ...(reportMs !== undefined && { reportMs }),
    }),
  ]
}

/** The source names the stream and its place: another stream under the same name has entries with the same ids. */
function originOf(setting: StreamSetting, tenantId: string) {
  const { kind, name, producer } = setting
  const place = setting.kind === 'redis' ? setting.key : setting.stream
  return { tenant_id: tenantId, source: `${kind}/${name}/${place}`, defaultProducer: producer }
}

function createSource(options: IngestOptions, setting: StreamSetting): StreamSource {
  const { owner, leaseMs, onTrimmed } = options
  if (setting.kind === 'nats')
    return createNatsSource({ setting, urls: setting.url, name: `carillon ${setting.name}`, leaseMs })
  return createRedisSource({
    setting,
    url: setting.url,
    consumer: owner,
    leaseMs,
    onTrimmed: count => onTrimmed(setting.name, count),
  })
}
