/** Publishing to a stream in Redis: one per tenant, each entry with the headers of a webhook and its body as fields. */
import type { Redis } from 'ioredis'
import { connectRedisStream, whenConnected } from '../../platform/streams/redis.ts'
import type { OutputStream } from './output-stream.ts'

export interface RedisOutputOptions {
  url: string
  name: string
  /** About how many are kept; 0 = all. */
  maxEntries: number
  timeoutMs: number
}

export function createRedisOutput({ url, name, maxEntries, timeoutMs }: RedisOutputOptions): OutputStream {
  let redis: Redis | undefined
  const trim = maxEntries === 0 ? [] : ['MAXLEN', '~', maxEntries]
  return {
    async publish({ tenantId, headers, body }) {
      // The first message connects: most processes publish nothing.
      redis ??= connectRedisStream(url, { name: `${name} output`, commandTimeoutMs: timeoutMs })
      await whenConnected(redis)
      const key = `${name}:events:${tenantId}`
      const entry = await redis.call(
        'xadd',
        key,
        ...trim,
        '*',
        ...Object.entries(headers).flat(),
        'body',
        body,
      )
      return `${key} ${entry}`
    },
    close: async () => redis?.disconnect(),
  }
}
