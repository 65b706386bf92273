/** Real brokers for tests, behind one interface: what they were told, and how to break them. */
import { jetstreamManager } from '@nats-io/jetstream'
import { Redis } from 'ioredis'
import { connectNats } from '../src/platform/streams/nats.ts'
import type { OutputOptions } from '../src/reactions/output-streams/output-streams.ts'
import { useNats } from './nats.ts'
import { useRedis } from './redis.ts'

export interface PublishedMessage {
  headers: Record<string, string>
  body: string
}

export interface Broker {
  readonly kind: 'nats' | 'redis'
  readonly options: OutputOptions
  /** Everything of a tenant that it has kept, oldest first. */
  read(tenantId: string): Promise<PublishedMessage[]>
  /** As a crash would; what it has acknowledged is on its disk. */
  kill(): Promise<void>
  restart(): Promise<void>
  /** Keeps it from answering while its connections stay open. */
  pause(): void
  resume(): void
}

export function useRedisBroker(): Broker {
  const server = useRedis({ isDurable: true })
  return {
    kind: 'redis',
    get options() {
      return { redisUrl: server.url }
    },
    async read(tenantId) {
      const redis = new Redis(server.url)
      try {
        const entries = await redis.xrange(`carillon:events:${tenantId}`, '-', '+')
        return entries.map(([, fields]) => {
          const { body = '', ...headers } = Object.fromEntries(pairsOf(fields))
          return { headers, body }
        })
      } finally {
        redis.disconnect()
      }
    },
    kill: () => server.kill(),
    restart: () => server.restart(),
    pause: () => server.pause(),
    resume: () => server.resume(),
  }
}

const pairsOf = (list: string[]): [string, string][] =>
  list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : []))

export function useNatsBroker(): Broker {
  const server = useNats()
  return {
    kind: 'nats',
    get options() {
      return { natsUrl: server.urls }
    },
    async read(tenantId) {
      const connection = await connectNats(server.urls, 'test')
      try {
        const { streams } = await jetstreamManager(connection)
        const { last_seq } = (await streams.info('CARILLON_EVENTS')).state
        const sequences = Array.from({ length: last_seq }, (_, i) => i + 1)
        const messages = await Promise.all(
          sequences.map(seq => streams.getMessage('CARILLON_EVENTS', { seq })),
        )
        return messages.flatMap(message => {
          if (!message?.subject.startsWith(`carillon.events.${tenantId}.`)) return []
          const headers = Object.fromEntries([...message.header].map(([name, values]) => [name, values[0]!]))
          return [{ headers, body: message.string() }]
        })
      } finally {
        await connection.close()
      }
    },
    kill: () => server.servers[0]!.kill(),
    async restart() {
      server.servers[0]!.start()
      await server.ready()
    },
    pause: () => server.servers[0]!.pause(),
    resume: () => server.servers[0]!.resume(),
  }
}
