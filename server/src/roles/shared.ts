/** What the roles of one process share: created once, closed last. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { createReplyWaiter } from '../automation/invocations/waiting.ts'
import { createTemplateDirectory } from '../content/templates/directory.ts'
import { createLiveHub } from '../inbox/live/hub.ts'
import { createInboxWriter } from '../inbox/notifications/notifications.ts'
import { createMetrics } from '../operations/telemetry/metrics.ts'
import { createTokenDirectory } from '../oversight/user-tokens/directory.ts'
import type { Config } from '../platform/config/config.ts'
import type { Role } from '../platform/config/settings.ts'
import { ownVersion } from '../platform/config/version.ts'
import type { Pool } from '../platform/database/pool.ts'
import { createAddressGuard } from '../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../platform/outgoing/http-client.ts'
import { traceCalls } from '../platform/outgoing/traced-client.ts'
import { loadKeyring } from '../platform/secrets/master-key.ts'
import { refuseWrongMasterKey } from '../platform/secrets/sealed-rows.ts'
import { runOutside } from '../platform/tracing/active-span.ts'
import { createDropReport, startTracing } from '../platform/tracing/start.ts'
import { createMessageStore } from '../providers/captured-messages/captured-messages.ts'
import { createProviderDirectory } from '../providers/provider-configs/directory.ts'
import { storeEnvironment } from '../providers/provider-configs/environment.ts'
import { createMissingReport } from '../providers/provider-configs/missing.ts'
import { createPresence } from '../providers/provider-configs/presence.ts'
import { createBuiltIns } from '../providers/services/built-in.ts'
import { readEnvironment } from '../providers/services/environment.ts'
import { createHttp2Client } from '../providers/services/push/http2-client.ts'
import { createOutputStreams } from '../reactions/output-streams/output-streams.ts'
import { createSignals } from './signals.ts'

export interface SharedOptions {
  config: Config
  roles: Role[]
  log: Logger
  pool: Pool
  /** For statements that may take minutes. */
  patientPool: Pool
}

/** How long a stopping process waits for its collector. */
const LAST_TRACES_MS = 5000

export type Shared = Awaited<ReturnType<typeof createShared>>

export async function createShared({ config, roles, log, pool, patientPool }: SharedOptions) {
  const onError = (part: string) => (error: unknown) =>
    runOutside(() => log.error({ err: error, part }, 'a round failed; trying again'))
  const keyring = await loadKeyring(config)
  await refuseWrongMasterKey(pool, keyring)
  const guard = createAddressGuard(config.CARILLON_ALLOWED_NETWORKS, config.CARILLON_DENIED_NETWORKS)
  const metrics = createMetrics(pool)
  /** Names this process on its leases and its traces. */
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
  const reportDropped = createDropReport(
    (spans, reason) => log.warn({ spans, reason }, 'traces did not reach the collector'),
    () => performance.now(),
  )
  const tracing = await startTracing({
    url: config.CARILLON_TRACES_URL,
    ratio: config.CARILLON_TRACES_RATIO,
    version: ownVersion(),
    instance: owner,
    onDropped(spans, reason) {
      metrics.droppedSpans(spans)
      reportDropped(spans, reason)
    },
  })
  const http = traceCalls(createHttpClient({ guard }))
  const http2 = traceCalls(createHttp2Client({ guard }))
  const streams = createOutputStreams({
    natsUrl: config.CARILLON_OUTPUT_NATS_URL,
    redisUrl: config.CARILLON_OUTPUT_REDIS_URL,
    name: config.CARILLON_OUTPUT_NAME,
    redisMaxEntries: config.CARILLON_OUTPUT_REDIS_ENTRIES,
    onPublished: metrics.published,
    onLost: (stream, error) =>
      log.warn({ err: error, stream }, 'a stream for events is not answering; they wait in the outbox'),
    onBack: stream => log.info({ stream }, 'a stream for events is answering again'),
  })
  const environment = readEnvironment(config)
  await storeEnvironment(pool, environment, keyring)
  const presence = createPresence({
    pool,
    environment,
    keyring,
    onAbandoned: ({ channel, name }) =>
      log.warn({ channel, provider: name }, 'removed a provider whose settings no process has any more'),
    onError: onError('providers: presence'),
  })
  await presence.start()
  const replies = createReplyWaiter({ pool, onError: onError('replies') })
  const signals = createSignals(pool, roles, replies.hint)
  const writeToInbox = createInboxWriter(pool)
  const directory = createProviderDirectory({
    pool,
    keyring,
    http,
    http2,
    publicUrl: config.CARILLON_PUBLIC_URL,
    environment,
    builtIn: createBuiltIns({
      saveCaptured: createMessageStore(pool),
      deliverInApp: async message => {
        await writeToInbox(message)
        signals.onInbox(message.tenant_id, message.user_id === null ? null : [message.user_id])
      },
    }),
    onError: (error, doing) => onError(`providers: ${doing}`)(error),
    // A process that sends nothing may lack what is needed for it.
    ...(roles.includes('delivery') && { onMissing: createMissingReport(pool, onError('system events')) }),
  })
  const tokens = createTokenDirectory({ db: pool, keyring })
  const live = createLiveHub({
    pool,
    ended: tokens.ended,
    onError: onError('live inboxes'),
    mostConnections: config.CARILLON_LIVE_CONNECTIONS,
  })
  return {
    config,
    roles,
    log,
    pool,
    patientPool,
    owner,
    replies,
    signals,
    tokens,
    live,
    metrics,
    tracing,
    keyring,
    guard,
    http,
    streams,
    directory,
    templates: createTemplateDirectory({ pool }),
    onError,
    async close() {
      await presence.stop()
      await directory.close()
      await Promise.all([http.close(), http2.close(), streams.close()])
      await tracing?.close(Math.min(config.CARILLON_SHUTDOWN_SECONDS * 1000, LAST_TRACES_MS))
    },
  }
}
