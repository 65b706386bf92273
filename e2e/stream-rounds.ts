/**
 * Kills whatever takes part in reading streams while entries flow: processes of Carillon, Redis, and the server of a NATS
 * cluster that leads the stream. Each entry must become exactly one record or one malformed row.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { startNats } from '../server/test/nats-process.ts'
import { startRedis } from '../server/test/redis-process.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { runCarillon, type Settings } from './carillon-process.ts'
import { makeDataFolder } from './data-folder.ts'
import { ask, countOne, createUsers } from './kill-rounds/database.ts'
import { planEntries } from './stream-rounds/entries.ts'
import { leaderOf, openNatsStream, openRedisStream } from './stream-rounds/producers.ts'
import { judge, type Verdict } from './stream-rounds/verdict.ts'

export interface StreamRoundsOptions {
  /** Of each stream. */
  entries: number
  /** Brings the first reader back and kills the second one too; otherwise the second goes on alone. */
  isLong?: boolean
  /** A PostgreSQL database to use; without it, the embedded one. */
  databaseUrl?: string
  parentDir?: string
  log: (line: string) => void
}

const USERS = 50
/** One before each kill, and one after the last. */
const PARTS = 5
const PATIENCE_MS = 300_000

export async function runStreamRounds(options: StreamRoundsOptions): Promise<Verdict> {
  const { entries, log, parentDir = tmpdir() } = options
  const scratch = mkdtempSync(join(parentDir, 'streams-'))
  const folder = makeDataFolder(parentDir)
  const cleaning: (() => Promise<unknown>)[] = []
  try {
    const redis = await startRedis(scratch, true)
    cleaning.push(() => redis.kill())
    const nats = await startNats(scratch, 3)
    cleaning.push(() => nats.stop())
    const settings: Settings = {
      PORT: String(await freePort()),
      CARILLON_DATA_DIR: folder.path,
      CARILLON_LOG_LEVEL: 'warn',
      CARILLON_LEASE_SECONDS: '2',
      CARILLON_STREAMS: JSON.stringify([
        { name: 'orders', url: redis.url, key: 'intents' },
        { name: 'billing', url: nats.urls, stream: 'INTENTS' },
      ]),
    }
    const databaseUrl = options.databaseUrl ?? (await startDatabase())
    const startReader = async () => {
      const reader = runCarillon(['start', '--roles', 'ingest'], { ...settings, DATABASE_URL: databaseUrl })
      cleaning.push(() => reader.end('SIGKILL'))
      await reader.announced()
      return reader
    }
    const readers = await Promise.all([startReader(), startReader()])
    await ask(databaseUrl, createUsers(USERS))

    const streams = [openRedisStream(redis.url, 'intents'), await openNatsStream(nats.urls, 'INTENTS')]
    cleaning.push(...streams.map(stream => () => stream.close()))
    const plans = streams.map(({ name }) => planEntries(name, entries, USERS))
    let adding: Promise<unknown> = Promise.resolve()
    let part = 0

    await untilNextPartFlows()
    await kill('a process of Carillon', () => readers[0]!.end('SIGKILL'))
    if (options.isLong) await startReader()
    await untilNextPartFlows()
    await kill('Redis', () => redis.kill())
    await redis.restart()
    await untilNextPartFlows()
    const leader = nats.servers[await leaderOf(nats.urls, 'INTENTS')]!
    await kill('the leader of the NATS stream', () => leader.kill())
    await untilNextPartFlows()
    leader.start()
    if (options.isLong) await kill('the other process of Carillon', () => readers[1]!.end('SIGKILL'))
    await untilNextPartFlows()
    await adding
    log(
      `everything is added, after ${streams.map(({ name, repeats }) => `${repeats} repeats (${name})`).join(', ')}`,
    )
    for (const stream of streams)
      await waitFor(async () => (await stream.waiting()) === 0, {
        what: `${stream.name} to be read to its end`,
        deadlineMs: PATIENCE_MS,
        everyMs: 200,
      })

    const verdicts = []
    for (const [i, stream] of streams.entries())
      verdicts.push(await judge(databaseUrl, stream.name, plans[i]!, await stream.entries()))
    return {
      counts: Object.assign({}, ...verdicts.map(({ counts }) => counts)),
      violations: verdicts.flatMap(({ violations }) => violations),
    }

    /** Its API is not needed, but somebody has to run the embedded database. */
    async function startDatabase(): Promise<string> {
      const owner = runCarillon(['start', '--roles', 'api'], settings)
      cleaning.push(() => owner.end('SIGTERM'))
      await owner.announced()
      return folder.ownerUrl()
    }

    /** However fast they are read, each kill comes while entries are added. */
    async function untilNextPartFlows(): Promise<void> {
      await adding
      const kept = await progress(databaseUrl)
      const from = part++ * (entries / PARTS)
      adding = Promise.all(
        streams.map((stream, i) => stream.add(plans[i]!.slice(from, from + entries / PARTS))),
      )
      await waitFor(async () => (await progress(databaseUrl)) > kept, {
        what: `an entry of part ${part}`,
        deadlineMs: PATIENCE_MS,
        everyMs: 50,
      })
    }

    async function kill(what: string, end: () => Promise<unknown>): Promise<void> {
      const kept = await progress(databaseUrl)
      await end()
      log(`killed ${what} when ${kept} of ${2 * entries} entries were stored`)
    }
  } finally {
    for (const clean of cleaning.reverse()) await clean()
    rmSync(scratch, { recursive: true, force: true })
    await folder.remove()
  }
}

async function progress(databaseUrl: string): Promise<number> {
  const { kept } = await countOne<{ kept: number }>(
    databaseUrl,
    `select (select count(*)::integer from records) + (select count(*)::integer from malformed_intents) as kept`,
  )
  return kept
}
