/** The role `api`: serves the HTTP API. */
import { createApi } from '../api.ts'
import { createEventWriter } from '../events/domain-events/append.ts'
import { createUnreadCache } from '../inbox/notifications/unread-cache.ts'
import { createAcceptor } from '../intake/intents/accept.ts'
import { examine } from '../operations/doctor/doctor.ts'
import { patientOf } from '../operations/doctor/patient.ts'
import { createKeyDirectory } from '../oversight/api-keys/api-keys.ts'
import { guardKeys, reportWrongKeys } from '../oversight/api-keys/wrong-keys.ts'
import { createLimits } from '../oversight/limits/limits.ts'
import { type Config, hasPlayground } from '../platform/config/config.ts'
import { createSandbox } from '../platform/sandbox/sandbox.ts'
import type { Shared } from './shared.ts'

/** For checking and testing scripts; they are started when they are needed. */
const TEST_WORKERS = 1
/** For telling those who were waiting for a script that nobody waits any longer. */
const LAST_ANSWERS_MS = 2000

export interface ListeningApi {
  /** Where people and programs reach it. */
  url: string
  /** Where commands on this machine reach it. */
  localUrl: string
  /** First refuses new requests, then finishes the intents being accepted. */
  stop(): Promise<void>
}

export async function startApi(shared: Shared): Promise<ListeningApi> {
  const {
    config,
    roles,
    pool,
    log,
    metrics,
    keyring,
    directory,
    guard,
    http,
    streams,
    signals,
    replies,
    tokens,
    live,
    tracing,
    onError,
  } = shared
  const shutdownMs = config.CARILLON_SHUTDOWN_SECONDS * 1000
  let isServing = true
  const acceptor = createAcceptor({
    pool,
    onAccepted: signals.onDue,
    onBatch: size => metrics.acceptedBatch(size),
  })
  const events = createEventWriter({ pool, onAppended: signals.onEvents })
  const limits = createLimits({
    db: pool,
    redisUrl: config.REDIS_URL,
    onRedisLost: error =>
      log.warn({ err: error }, 'Redis is not answering; limits are counted in the database'),
    onRedisBack: () => log.info('Redis is answering again'),
  })
  const unread =
    config.REDIS_URL === '' ? undefined : createUnreadCache(config.REDIS_URL, () => performance.now())
  const sandbox = createSandbox({ workers: TEST_WORKERS, onError: onError('sandbox') })
  const api = await createApi({
    pool,
    log,
    keys: guardKeys(createKeyDirectory(pool, Date.now), {
      perMinute: config.CARILLON_WRONG_KEYS_PER_MINUTE,
      now: () => performance.now(),
      onWrongKey: answer => metrics.wrongKey(answer),
      onThrottled(address, wrongKeys) {
        log.warn(
          { address, wrong_keys: wrongKeys },
          'an address sent too many wrong API keys and has to wait',
        )
        void reportWrongKeys(pool, address, wrongKeys).catch(onError('system events'))
      },
    }),
    acceptor,
    events,
    limits,
    countUnread: unread?.count,
    metrics,
    keyring,
    directory,
    outgoing: { guard, http, streams },
    sandbox,
    publicUrl: config.CARILLON_PUBLIC_URL,
    onDue: signals.onDue,
    onInbox: signals.onInbox,
    replies,
    tokens,
    live,
    isServing: () => isServing,
    examine: () => examine(patientOf(config, { pool, keyring, guard })),
    roles,
    tracing,
    requestLogLevel: config.CARILLON_REQUEST_LOG_LEVEL,
    trustedProxies: config.CARILLON_TRUSTED_PROXIES,
    metricsKey: config.CARILLON_METRICS_KEY,
    hasPlayground: hasPlayground(config),
    requestTimeoutMs: config.CARILLON_REQUEST_SECONDS * 1000,
    closingMs: shutdownMs + LAST_ANSWERS_MS,
  })
  metrics.showLiveConnections(live.count)
  const url = await api.listen({ host: config.HOST, port: config.PORT }).catch(explainPort(config))
  return {
    url: config.CARILLON_PUBLIC_URL || url,
    localUrl: url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:'),
    async stop() {
      isServing = false
      // Callers who wait for a script are answered in time, or told to stop waiting.
      const impatience = setTimeout(replies.giveUp, shutdownMs)
      await api.close()
      clearTimeout(impatience)
      await acceptor.drained()
      await events.drained()
      await limits.close()
      unread?.close()
      await sandbox.close()
    },
  }
}

function explainPort(config: Config) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${config.PORT} on ${config.HOST} is in use. Stop the program that uses it, or set PORT to another port.`,
    )
  }
}
