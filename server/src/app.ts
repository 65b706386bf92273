/** The only wiring place: configuration and roles in, a running Carillon out. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { createApi } from './api.ts'
import { withLabels } from './content/links/link-labels.ts'
import { createMailLinks } from './content/links/mail-links.ts'
import { createTemplateDirectory } from './content/templates/directory.ts'
import { createDeliveryWorker } from './delivery/attempts/worker.ts'
import { createInboxWriter } from './inbox/notifications/notifications.ts'
import { createAcceptor } from './intake/intents/accept.ts'
import { createScheduler } from './intake/schedules/scheduler.ts'
import { createMetricsRollup } from './operations/metrics/rollup.ts'
import { createRetentionSweeper } from './operations/retention/retention.ts'
import { logAttempt } from './operations/telemetry/attempt-log.ts'
import { logDispatch, outcomeOf } from './operations/telemetry/dispatch-log.ts'
import { createMetrics } from './operations/telemetry/metrics.ts'
import { createKeyDirectory } from './oversight/api-keys/api-keys.ts'
import { createLimits } from './oversight/limits/limits.ts'
import { raiseSystemEvent } from './oversight/system-events/system-events.ts'
import { createFirstTenant } from './oversight/tenants/tenants.ts'
import { createExpander } from './planning/expansions/expander.ts'
import { apiKeyFile, type Config } from './platform/config/config.ts'
import type { Role } from './platform/config/settings.ts'
import { createHinter, createListener } from './platform/database/listener.ts'
import { migrateUp } from './platform/database/migrate.ts'
import { createPool, type Pool } from './platform/database/pool.ts'
import { openDatabase } from './platform/embedded-database/open.ts'
import { createAddressGuard } from './platform/outgoing/address-guard.ts'
import { createHttpClient } from './platform/outgoing/http-client.ts'
import type { Service } from './platform/queue/service.ts'
import { createHint, createWake } from './platform/queue/wake.ts'
import { loadKeyring } from './platform/secrets/master-key.ts'
import { refuseForeignSecrets } from './platform/secrets/sealed-rows.ts'
import { createMessageStore } from './providers/captured-messages/captured-messages.ts'
import { createProviderDirectory } from './providers/provider-configs/directory.ts'
import { createHttp2Client } from './providers/services/push/http2-client.ts'
import { createProviderRegistry } from './providers/services/registry.ts'
import { createDispatcher } from './reactions/outbox/dispatcher.ts'
import { createWebhookHandler } from './reactions/webhook-deliveries/handler.ts'
import { createRecoveryHandler } from './reactions/webhook-recoveries/recoveries.ts'
import { createEndpointDirectory } from './reactions/webhooks/endpoints.ts'

const DISPATCH_HINT_MS = 20

export interface StartOptions {
  config: Config
  roles: Role[]
  log: Logger
}

export interface Carillon {
  /** Where the API listens; undefined without the role. */
  url: string | undefined
  /** The first key, only when this start created it. */
  firstKey: string | undefined
  databaseNote: string
  providers: Record<string, string>
  /** Resolves when a part dies that cannot be brought back. */
  failed: Promise<Error>
  stop(): Promise<void>
}

export async function startCarillon({ config, roles, log }: StartOptions): Promise<Carillon> {
  const database = await openDatabase(config, line => log.info(line))
  const failed = new Promise<Error>(resolve => database.onLost(reason => resolve(new Error(reason))))
  const pool = createPool(database.url, {
    max: config.CARILLON_DATABASE_POOL,
    onError: error => log.warn({ reason: error.message }, 'lost a database connection'),
  })
  try {
    await migrateUp(database.url, line => log.info({ migration: line }, 'migrated'))
    const firstKey = await keepFirstKey(config, pool)
    const parts = await startParts({ config, roles, log }, pool, database.url)
    return {
      ...parts,
      firstKey,
      databaseNote: database.note,
      failed,
      async stop() {
        await parts.stop()
        await pool.end()
        await database.close()
      },
    }
  } catch (error) {
    await pool.end()
    await database.close()
    throw error
  }
}

/** Shown once on the screen, and left for its owner in the data folder. */
async function keepFirstKey({ dataDir }: Config, pool: Pool): Promise<string | undefined> {
  const created = await createFirstTenant(pool, key => writeKey(dataDir, key))
  return created?.key
}

async function writeKey(dataDir: string, key: string): Promise<void> {
  const file = apiKeyFile(dataDir)
  try {
    await mkdir(dataDir, { recursive: true })
    await rm(file, { force: true }) // An older file would keep its mode.
    await writeFile(file, `${key}\n`, { mode: 0o600 })
  } catch (error) {
    throw new Error(
      `The first API key cannot be left in ${file}: ${(error as Error).message}. Set CARILLON_DATA_DIR to a folder that can be written to.`,
    )
  }
}

async function startParts({ config, roles, log }: StartOptions, pool: Pool, databaseUrl: string) {
  const has = (role: Role) => roles.includes(role)
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
  const metrics = createMetrics(pool)
  const deliveryWake = createWake()
  const expanderWake = createWake()
  const dispatchWake = createWake()
  // Most of what is accepted concerns no webhook, so not every batch is worth a look.
  const hintDispatch = createHint(dispatchWake, DISPATCH_HINT_MS)
  const hinter = createHinter(pool)
  const wakeHere = () => {
    deliveryWake.call()
    expanderWake.call()
    hintDispatch()
  }
  /** Workers in this process hear at once, those elsewhere through the database. */
  const onDue = () => {
    wakeHere()
    if (!has('delivery') || !has('fanout') || !has('dispatch')) hinter.hint()
  }
  const onEmitted = () => (has('dispatch') ? dispatchWake.call() : hinter.hint())
  const onError = (part: string) => (error: unknown) =>
    log.error({ err: error, part }, 'a round failed; trying again')

  const registry = createProviderRegistry({
    config,
    saveCaptured: createMessageStore(pool),
    deliverInApp: createInboxWriter(pool),
  })
  const keyring = await loadKeyring(config)
  await refuseForeignSecrets(pool, keyring)
  const guard = createAddressGuard(config.CARILLON_ALLOWED_NETWORKS)
  const http = createHttpClient({ guard })
  const http2 = createHttp2Client({ guard })
  const directory = createProviderDirectory({
    pool,
    keyring,
    http,
    http2,
    publicUrl: config.CARILLON_PUBLIC_URL,
    fallback: channel => registry.providerFor(channel),
    onError: (error, doing) => onError(`providers: ${doing}`)(error),
  })
  const templates = createTemplateDirectory({ pool })
  const services: Service[] = []
  if (has('fanout')) {
    const onExpanded = () => onDue()
    services.push(
      createExpander({
        pool,
        wake: expanderWake,
        pollMs: config.CARILLON_POLL_MS,
        onExpanded,
        onError: onError('expander'),
      }),
      createScheduler({
        pool,
        wake: createWake(),
        pollMs: config.CARILLON_POLL_MS,
        onAccepted: onDue,
        onError: onError('scheduler'),
      }),
    )
  }
  if (has('delivery')) {
    services.push(
      createDeliveryWorker({
        pool,
        owner,
        candidates: (tenantId, channel) => directory.candidates(tenantId, channel),
        words: templates.words,
        wake: deliveryWake,
        concurrency: config.CARILLON_DELIVERY_CONCURRENCY,
        leaseSeconds: config.CARILLON_LEASE_SECONDS,
        pollMs: config.CARILLON_POLL_MS,
        shutdownMs: config.CARILLON_SHUTDOWN_SECONDS * 1000,
        links: withLabels(
          createMailLinks(keyring, config.CARILLON_PUBLIC_URL, Date.now),
          templates.translateFor,
        ),
        events: {
          onAttempt(route, completion, completed) {
            metrics.attempted(route.channel, completion.outcome, completion.duration_ms)
            if (completed && !completion.uses_attempt)
              metrics.heldBack(route.channel, completion.outcome, completion.reason)
            logAttempt(log, route, completion, completed)
          },
          onDead: (tenantId, count) => void reportDead(pool, tenantId, count).catch(onError('system events')),
          onEmitted,
          onError: (error, doing) => onError(`delivery: ${doing}`)(error),
        },
      }),
    )
  }
  if (has('dispatch')) {
    services.push(
      createDispatcher({
        pool,
        owner,
        handlers: [
          createWebhookHandler({
            http,
            endpoints: createEndpointDirectory({ pool, keyring }),
            perEndpoint: config.CARILLON_WEBHOOK_CONCURRENCY,
          }),
          createRecoveryHandler(pool, () => dispatchWake.call()),
        ],
        wake: dispatchWake,
        concurrency: config.CARILLON_DISPATCH_CONCURRENCY,
        leaseSeconds: config.CARILLON_LEASE_SECONDS,
        pollMs: config.CARILLON_POLL_MS,
        shutdownMs: config.CARILLON_SHUTDOWN_SECONDS * 1000,
        events: {
          onDispatched(row, completion, completed, durationMs) {
            metrics.dispatched(row.source_kind, outcomeOf(completion), durationMs)
            logDispatch(log, row, completion, completed, durationMs)
          },
          onDead: (tenantId, sourceKind, _reason, depth) =>
            void reportDead(pool, tenantId, 1, sourceKind, depth + 1).catch(onError('system events')),
          onError: (error, doing) => onError(`dispatch: ${doing}`)(error),
        },
      }),
    )
  }
  if (has('maintenance')) {
    services.push(
      createRetentionSweeper({
        pool,
        wake: createWake(),
        intervalMs: config.CARILLON_CLEANUP_SECONDS * 1000,
        onSwept: swept => log.info({ swept }, 'retention sweep'),
        onError: onError('retention'),
      }),
      createMetricsRollup({
        pool,
        wake: createWake(),
        intervalMs: config.CARILLON_METRICS_SECONDS * 1000,
        now: () => performance.now(),
        onError: onError('metrics'),
      }),
    )
  }

  let isServing = true
  const acceptor = createAcceptor({ pool, onAccepted: onDue, onBatch: size => metrics.acceptedBatch(size) })
  const keys = createKeyDirectory(pool, Date.now)
  const limits = createLimits({
    db: pool,
    redisUrl: has('api') ? config.REDIS_URL : '',
    onRedisLost: error =>
      log.warn({ err: error }, 'Redis does not answer; limits are counted in the database'),
    onRedisBack: () => log.info('Redis answers again'),
  })
  const api = has('api')
    ? await createApi({
        pool,
        log,
        keys,
        acceptor,
        limits,
        metrics,
        keyring,
        directory,
        outgoing: { guard, http },
        publicUrl: config.CARILLON_PUBLIC_URL,
        onDue,
        isServing: () => isServing,
        trustedProxies: config.CARILLON_TRUSTED_PROXIES,
      })
    : undefined
  const url = await api?.listen({ host: config.HOST, port: config.PORT }).catch(explainPort(config))
  const listener =
    has('delivery') || has('fanout') || has('dispatch') ? createListener(databaseUrl, wakeHere) : undefined
  for (const service of services) await service.start()

  return {
    url: url === undefined ? undefined : config.CARILLON_PUBLIC_URL || url,
    providers: registry.describe(),
    /** First no new requests, then the work in hand, then the connections. */
    async stop() {
      isServing = false
      await api?.close()
      await acceptor.drained()
      await Promise.all(services.map(service => service.stop()))
      await listener?.stop()
      await directory.close()
      await registry.close()
      await limits.close()
      await Promise.all([http.close(), http2.close()])
    },
  }
}

/** `source` and `depth` are of a dispatch out of the outbox; without them it is about routes. */
async function reportDead(
  pool: Pool,
  tenantId: string,
  count: number,
  source = '',
  depth = 0,
): Promise<void> {
  await raiseSystemEvent(pool, {
    tenant_id: tenantId,
    event_type: 'dead_letters',
    subject: source,
    severity: 'medium',
    description:
      source === ''
        ? 'Notifications could not be delivered and wait as dead letters.'
        : `Work for "${source}" was given up and waits as dead letters.`,
    details: { last_batch: count, ...(depth > 0 && { trigger_depth: depth }) },
  })
}

function explainPort(config: Config) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code === 'EADDRINUSE') {
      throw new Error(
        `Port ${config.PORT} on ${config.HOST} is in use. Stop what listens there or set PORT to another one.`,
      )
    }
    throw error
  }
}
