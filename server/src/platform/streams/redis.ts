/** A connection to a Redis whose streams must not lose anything; for what may be lost, see platform/memory/. */
import { Redis } from 'ioredis'

const CONNECT_TIMEOUT_MS = 5000
const LONGEST_PAUSE_MS = 2000

export interface RedisOptions {
  /** Shown in CLIENT LIST. */
  name: string
  /** A command that blocks needs more than it blocks for. */
  commandTimeoutMs: number
}

/**
 * Connects in the background, and again whenever the connection is lost; rediss:// is TLS. Without a connection a command
 * fails at once, and none is repeated: whoever called knows whether that is safe.
 */
export function connectRedisStream(url: string, { name, commandTimeoutMs }: RedisOptions): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    // The answers of XREADGROUP have the same shape for every version of Redis.
    protocol: 2,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: times => Math.min(50 * 2 ** Math.min(times, 6), LONGEST_PAUSE_MS),
  })
  // The failing calls report it; without a listener the client would print it.
  redis.on('error', () => {})
  return redis
}

/** Waits for the connection, so that the first command does not fail for want of it. */
export async function whenConnected(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error) => {
      redis.off('ready', settle)
      redis.off('error', settle)
      redis.off('end', onEnd)
      if (error === undefined) resolve()
      else reject(error)
    }
    const onEnd = () => settle(new Error('The connection to Redis was closed.'))
    redis.once('ready', settle)
    redis.once('error', settle)
    redis.once('end', onEnd)
  })
}
