/** A Redis stream, read through a consumer group. */
import type { Redis } from 'ioredis'
import type { RedisStreamSetting } from '../../platform/config/stream-settings.ts'
import { connectRedisStream, whenConnected } from '../../platform/streams/redis.ts'
import { decode, type EntryContent, type StreamEntry } from './entry.ts'
import { type Lag, READ_WAIT_MS, type StreamSource } from './source.ts'

const COMMAND_TIMEOUT_MS = 10_000
/** Consumers are named after processes, so those of former ones would gather; by then they have nothing any more. */
const FORGET_CONSUMER_AFTER_MS = 3_600_000

export interface RedisSourceOptions {
  setting: Pick<RedisStreamSetting, 'key' | 'group' | 'deleteAcknowledged'>
  url: string
  /** Names this process in the group. */
  consumer: string
  /** An entry that its consumer has neither acknowledged nor kept for so long is taken from it. */
  leaseMs: number
  /** Entries that were read but had been deleted from the stream before they were accepted. */
  onTrimmed: (count: number) => void
}

type RawEntry = [id: Buffer, fields: Buffer[] | null] | null

export function createRedisSource(options: RedisSourceOptions): StreamSource {
  const { setting, url, consumer, leaseMs, onTrimmed } = options
  const { key, group } = setting
  const connect = (name: string) =>
    connectRedisStream(url, { name: `carillon ${name}`, commandTimeoutMs: COMMAND_TIMEOUT_MS })
  // A command behind one that blocks would wait for it.
  const reading = connect('reading')
  const commands = connect('commands')
  let claimCursor = '0-0'
  let nextClaimMs = 0

  async function prepare(): Promise<void> {
    await Promise.all([whenConnected(reading), whenConnected(commands)])
    try {
      // From the beginning: what was added before Carillon knew of the stream counts too.
      await commands.xgroup('CREATE', key, group, '0', 'MKSTREAM')
    } catch (error) {
      if (!/BUSYGROUP/.test((error as Error).message)) throw error
    }
    await forgetConsumers(commands, key, group, FORGET_CONSUMER_AFTER_MS)
    nextClaimMs = 0
  }

  /** What dead consumers left, including an earlier read of our own whose answer was lost. */
  async function claim(most: number): Promise<StreamEntry[]> {
    if (performance.now() < nextClaimMs) return []
    const [cursor, raw, deleted] = (await commands.callBuffer(
      'XAUTOCLAIM',
      key,
      group,
      consumer,
      leaseMs,
      claimCursor,
      'COUNT',
      most,
    )) as [Buffer, RawEntry[], Buffer[] | undefined]
    claimCursor = cursor.toString()
    // At the end of the list there is time until others can have died; before it, the rest is next.
    if (claimCursor === '0-0') nextClaimMs = performance.now() + leaseMs / 3
    return toEntries(raw, deleted?.length ?? 0)
  }

  async function readNew(most: number): Promise<StreamEntry[]> {
    const answer = (await reading.callBuffer(
      'XREADGROUP',
      'GROUP',
      group,
      consumer,
      'COUNT',
      most,
      'BLOCK',
      READ_WAIT_MS,
      'STREAMS',
      key,
      '>',
    )) as [Buffer, RawEntry[]][] | null
    return toEntries(answer?.[0]?.[1] ?? [], 0)
  }

  function toEntries(raw: RawEntry[], deleted: number): StreamEntry[] {
    const entries = raw.flatMap(entry => (entry?.[1] ? [toEntry(entry[0], entry[1])] : []))
    const trimmed = raw.length - entries.length + deleted
    if (trimmed > 0) onTrimmed(trimmed)
    return entries
  }

  return {
    prepare,
    async read(most, take) {
      const claimed = await claim(most)
      if (claimed.length > 0) take(claimed)
      else {
        const entries = await readNew(most)
        if (entries.length > 0) take(entries)
      }
    },
    async acknowledge(entries) {
      const ids = entries.map(({ id }) => id)
      if (!setting.deleteAcknowledged) await commands.xack(key, group, ...ids)
      else {
        const answers = await commands
          .multi()
          .xack(key, group, ...ids)
          .xdel(key, ...ids)
          .exec()
        const failed = answers?.find(([error]) => error !== null)
        if (failed) throw failed[0]
      }
    },
    /** JUSTID: they are still read for the first time. */
    async keep(entries) {
      const ids = entries.map(({ id }) => id)
      await commands.call('XCLAIM', key, group, consumer, 0, ...ids, 'JUSTID')
    },
    // Others take them when their time is up.
    async giveBack() {},
    lag: () => lagOf(commands, key, group),
    async close() {
      await forgetConsumers(commands, key, group, 0, consumer).catch(() => {})
      reading.disconnect()
      commands.disconnect()
    },
  }
}

function toEntry(id: Buffer, raw: Buffer[]): StreamEntry {
  const bytes = raw.reduce((sum, { length }) => sum + length, 0)
  return { id: id.toString(), bytes, content: () => toContent(raw) }
}

function toContent(raw: Buffer[]): EntryContent {
  const texts = raw.map(decode)
  const fields = new Map<string, string>()
  for (let i = 0; i < texts.length; i += 2) fields.set(texts[i]!.text, texts[i + 1]!.text)
  return { fields, isGarbled: texts.some(({ isGarbled }) => isGarbled) }
}

async function lagOf(redis: Redis, key: string, group: string): Promise<Lag> {
  const groups = ((await redis.xinfo('GROUPS', key)) as unknown[][]).map(toObject)
  const own = groups.find(({ name }) => name === group)
  if (own === undefined) throw new Error(`The group "${group}" does not exist.`)
  const pending = Number(own.pending)
  // Redis 6 does not count, and Redis 7 cannot after some deletions.
  const unread = own.lag === undefined || own.lag === null ? null : Number(own.lag)
  const [, firstPending] = (await redis.xpending(key, group)) as [number, string | null]
  const [next] = await redis.xrange(key, `(${own['last-delivered-id']}`, '+', 'COUNT', 1)
  const oldest = firstPending ?? next?.[0]
  return {
    waiting: unread === null ? null : pending + unread,
    oldestAt: oldest === undefined ? null : new Date(Number(oldest.split('-')[0])),
  }
}

function toObject(pairs: unknown[]): Record<string, unknown> {
  const names = pairs.filter((_, i) => i % 2 === 0) as string[]
  return Object.fromEntries(names.map((name, i) => [name, pairs[2 * i + 1]]))
}

/** In one step: a consumer that is deleted takes along what it has read, so it must not read in between. */
const FORGET = `
  for _, pairs in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
    local c = {}
    for i = 1, #pairs, 2 do c[pairs[i]] = pairs[i + 1] end
    if c.pending == 0 and c.idle >= tonumber(ARGV[2]) and (ARGV[3] == '' or ARGV[3] == c.name) then
      redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], c.name)
    end
  end`

async function forgetConsumers(
  redis: Redis,
  key: string,
  group: string,
  idleMs: number,
  name = '',
): Promise<void> {
  await redis.eval(FORGET, 1, key, group, idleMs, name)
}
