/** A connection to Redis, for what may be lost at any time. */
import { Redis } from 'ioredis'

/** A Redis that is slower than the database is of no use. */
const COMMAND_TIMEOUT_MS = 250

export function connectRedis(url: string): Redis {
  const redis = new Redis(url, {
    connectionName: 'carillon',
    // Without a connection, fail at once: the database answers in the meantime. Nothing is queued or done twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 5000,
    retryStrategy: times => Math.min(100 * 2 ** Math.min(times, 6), 5000),
  })
  // The failing calls report it; without a listener the client would print it.
  redis.on('error', () => {})
  return redis
}
