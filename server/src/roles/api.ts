/** The role `api`: the HTTP surface, listening. */
import { createApi } from '../api.ts'
import { createAcceptor } from '../intake/intents/accept.ts'
import { createKeyDirectory } from '../oversight/api-keys/api-keys.ts'
import { createLimits } from '../oversight/limits/limits.ts'
import type { Config } from '../platform/config/config.ts'
import type { Shared } from './shared.ts'

export interface ListeningApi {
  /** Where people and programs reach it. */
  url: string
  /** First no new requests, then the intents in hand. */
  stop(): Promise<void>
}

export async function startApi(shared: Shared): Promise<ListeningApi> {
  const { config, pool, log, metrics, keyring, directory, guard, http, signals } = shared
  let isServing = true
  const acceptor = createAcceptor({
    pool,
    onAccepted: signals.onDue,
    onBatch: size => metrics.acceptedBatch(size),
  })
  const limits = createLimits({
    db: pool,
    redisUrl: config.REDIS_URL,
    onRedisLost: error =>
      log.warn({ err: error }, 'Redis does not answer; limits are counted in the database'),
    onRedisBack: () => log.info('Redis answers again'),
  })
  const api = await createApi({
    pool,
    log,
    keys: createKeyDirectory(pool, Date.now),
    acceptor,
    limits,
    metrics,
    keyring,
    directory,
    outgoing: { guard, http },
    publicUrl: config.CARILLON_PUBLIC_URL,
    onDue: signals.onDue,
    isServing: () => isServing,
    trustedProxies: config.CARILLON_TRUSTED_PROXIES,
  })
  const url = await api.listen({ host: config.HOST, port: config.PORT }).catch(explainPort(config))
  return {
    url: config.CARILLON_PUBLIC_URL || url,
    async stop() {
      isServing = false
      await api.close()
      await acceptor.drained()
      await limits.close()
    },
  }
}

function explainPort(config: Config) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${config.PORT} on ${config.HOST} is in use. Stop what listens there or set PORT to another one.`,
    )
  }
}
