import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, it } from 'vitest'
import { canStartNats, useNats } from '../../../test/nats.ts'
import { canStartRedis, useRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { connectNats } from './nats.ts'
import { connectRedisStream, whenConnected } from './redis.ts'

describe.skipIf(!canStartRedis)('a connection to Redis', () => {
  const server = useRedis({ isDurable: true })

  it('comes back by itself, and a command without it fails at once', async () => {
    const redis = connectRedisStream(server.url, { name: 'test', commandTimeoutMs: 2000 })
    try {
      await whenConnected(redis)
      const id = await redis.xadd('intents', '*', 'a', '1')
      await server.kill()
      await expect(redis.xlen('intents')).rejects.toThrow()
      await server.restart()
      expect(await waitFor(() => redis.xrange('intents', '-', '+'), { what: 'Redis' })).toEqual([
        [id, ['a', '1']],
      ])
    } finally {
      redis.disconnect()
    }
  })

  it('tells why there is none', async () => {
    const redis = connectRedisStream('redis://127.0.0.1:1', { name: 'test', commandTimeoutMs: 2000 })
    await expect(whenConnected(redis)).rejects.toThrow('ECONNREFUSED')
    redis.disconnect()
  })
})

describe.skipIf(!canStartNats)('a connection to NATS', () => {
  const server = useNats()

  it('comes back by itself', async () => {
    const connection = await connectNats(server.urls, 'test')
    try {
      const manager = await jetstreamManager(connection, { timeout: 300 })
      await manager.streams.add({ name: 'INTENTS', subjects: ['intents.>'] })
      await jetstream(connection).publish('intents.a', '1')
      await server.servers[0]!.kill()
      server.servers[0]!.start()
      const stored = await waitFor(async () => (await manager.streams.info('INTENTS')).state.messages, {
        what: 'NATS',
      })
      expect(stored).toBe(1)
    } finally {
      await connection.close()
    }
  })

  it('tells why there is none', async () => {
    await expect(connectNats('nats://127.0.0.1:1', 'test')).rejects.toThrow(/refused/i)
  })
})
