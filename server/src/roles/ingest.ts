/** The role `ingest`: reads intents from the streams in the settings. */
import { createIngest } from '../intake/streams/ingest.ts'
import { raiseMissingTenant } from '../intake/streams/missing-tenant.ts'
import type { Config } from '../platform/config/config.ts'
import type { StreamSetting } from '../platform/config/stream-settings.ts'
import type { Service } from '../platform/queue/service.ts'
import type { Shared } from './shared.ts'

export function createIngestRole(shared: Shared): Service[] {
  const { config, pool, owner, log, metrics, signals, tracing, onError } = shared
  return createIngest({
    pool,
    settings: withAddresses(config),
    owner,
    leaseMs: config.CARILLON_LEASE_SECONDS * 1000,
    shutdownMs: config.CARILLON_SHUTDOWN_SECONDS * 1000,
    // The others are for requests, delivery and everything else.
    statements: Math.max(1, Math.floor(config.CARILLON_DATABASE_POOL / 3)),
    tracing,
    onAccepted: signals.onDue,
    onBatch: metrics.acceptedBatch,
    onSettled: metrics.streams.entries,
    onTrimmed(stream, count) {
      metrics.streams.entries(stream, 'trimmed', count)
      log.error({ stream, count }, 'entries were deleted from the stream before they could be accepted')
    },
    onMissingTenant: raiseMissingTenant(pool, onError('system events')),
    onError,
  })
}

function withAddresses(config: Config): StreamSetting[] {
  return config.CARILLON_STREAMS.map(setting => ({
    ...setting,
    url: setting.url || (setting.kind === 'redis' ? config.REDIS_URL : config.NATS_URL),
  }))
}
