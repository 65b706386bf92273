/** Producers as applications write them: one that gets no answer adds its entry again. */
import { setTimeout as delay } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Redis } from 'ioredis'
import { waitFor } from '../../server/test/wait-for.ts'
import type { PlannedEntry } from './entries.ts'

/** A part is added in so many steps, with a pause after each. */
const STEPS = 20
const STEP_PAUSE_MS = 20
const PAUSE_MS = 50

export interface StreamUnderTest {
  readonly name: string
  /** How many additions had to be repeated. */
  readonly repeats: number
  add(entries: PlannedEntry[]): Promise<void>
  /** Entries that are neither acknowledged nor deleted. */
  waiting(): Promise<number>
  /** The id of every entry, with its idempotency key. */
  entries(): Promise<Map<string, string>>
  close(): Promise<void>
}

export function openRedisStream(url: string, key: string): StreamUnderTest {
  const redis = new Redis(url, { commandTimeout: 2000, maxRetriesPerRequest: 0, enableOfflineQueue: false })
  redis.on('error', () => {})
  const counter = { repeats: 0 }
  return {
    name: 'redis',
    get repeats() {
      return counter.repeats
    },
    add: entries =>
      addAll(entries, counter, async ({ fields }) => {
        await redis.xadd(key, '*', ...Object.entries(fields).flat())
      }),
    async waiting() {
      const [pairs] = (await redis.xinfo('GROUPS', key)) as unknown[][]
      const of = (name: string) => Number(pairs![pairs!.indexOf(name) + 1])
      return of('pending') + of('lag')
    },
    async entries() {
      const rows = await redis.xrange(key, '-', '+')
      return new Map(rows.map(([id, fields]) => [id, fields[fields.indexOf('idempotency_key') + 1]!]))
    },
    close: async () => redis.disconnect(),
  }
}

/** On all servers of the cluster. */
export async function openNatsStream(urls: string, stream: string): Promise<StreamUnderTest> {
  const connection = await connect({
    servers: urls.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  })
  const manager = await jetstreamManager(connection, { timeout: 2000 })
  await manager.streams.add({ name: stream, subjects: [`${stream}.>`], num_replicas: 3 })
  const js = jetstream(connection, { timeout: 2000 })
  const counter = { repeats: 0 }
  return {
    name: 'nats',
    get repeats() {
      return counter.repeats
    },
    add: entries =>
      addAll(entries, counter, async ({ key, fields }) => {
        await js.publish(`${stream}.paid`, JSON.stringify(fields), { msgID: key })
      }),
    async waiting() {
      const { num_pending, num_ack_pending } = await manager.consumers.info(stream, 'carillon')
      return num_pending + num_ack_pending
    },
    async entries() {
      const found = new Map<string, string>()
      // A server that has just come back may not answer at once.
      const { state } = await waitFor(() => manager.streams.info(stream), { what: 'NATS' })
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const message = await waitFor(() => manager.streams.getMessage(stream, { seq }), {
          what: `NATS ${seq}`,
        })
        found.set(String(seq), message.json<{ idempotency_key: string }>().idempotency_key)
      }
      return found
    },
    close: () => connection.close(),
  }
}

/** The server that leads the stream, by its place in the cluster. */
export async function leaderOf(urls: string, stream: string): Promise<number> {
  const connection = await connect({ servers: urls.split(',') })
  try {
    const { cluster } = await (await jetstreamManager(connection)).streams.info(stream)
    return Number(cluster?.leader?.slice(1) ?? 0)
  } finally {
    await connection.close()
  }
}

async function addAll(
  entries: PlannedEntry[],
  counter: { repeats: number },
  add: (entry: PlannedEntry) => Promise<void>,
): Promise<void> {
  const atOnce = Math.ceil(entries.length / STEPS)
  for (let i = 0; i < entries.length; i += atOnce) {
    await Promise.all(entries.slice(i, i + atOnce).map(entry => untilAdded(entry)))
    await delay(STEP_PAUSE_MS)
  }

  async function untilAdded(entry: PlannedEntry): Promise<void> {
    for (;;) {
      try {
        return await add(entry)
      } catch {
        counter.repeats++
        await delay(PAUSE_MS)
      }
    }
  }
}
