/** Intents per second from each stream, beside HTTP one by one, HTTP in batches and SQL. */
import { randomBytes } from 'node:crypto'
import { createPool, type Pool } from '../../../server/dist/platform/database/pool.js'
import type { Load } from '../accept/load-process.ts'
import { startChild } from '../child.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { PAYLOAD, prepareTenant, TYPE, USERS, vacuum } from '../tenant.ts'
import { startServers } from './servers.ts'

const WAYS = ['single', 'batch', 'sql', 'redis', 'nats'] as const
type Way = (typeof WAYS)[number]

const CONNECTIONS = 64
const SQL_CONNECTIONS = 16
const BATCH_REQUESTS = 4
const BATCH_ITEMS = 500
const SECONDS = 4
const ENTRIES = 10_000

export const benchmarkStreams: Benchmark = async ({ scratch, rounds, tell }) => {
  const database = await scratch.createDatabase('streams')
  const { key } = await prepareTenant(database)
  const servers = await startServers(scratch.folder)
  const input = { databaseUrl: database.url }
  const load = await startChild(new URL('../accept/load-process.js', import.meta.url), {
    key,
    connections: CONNECTIONS,
  })
  const api = await startChild(new URL('../accept/api-process.js', import.meta.url), {
    ...input,
    variant: 'durable',
  })
  const ingest = await startChild(new URL('./ingest-process.js', import.meta.url), input)
  const sqlPool = createPool(database.url, { max: SQL_CONNECTIONS })
  const { url } = await api.ask<{ url: string }>('address')

  const ways: Record<Way, (share: number) => Promise<number>> = {
    async single(share) {
      const { accepted, elapsedSeconds } = await load.ask<Load>({ url, seconds: SECONDS * share })
      return accepted / elapsedSeconds
    },
    batch: share => repeat(BATCH_REQUESTS, SECONDS * share, () => sendBatch(url, key)),
    sql: share => repeat(SQL_CONNECTIONS, SECONDS * share, () => notify(sqlPool)),
    redis: share => readStream('redis', ENTRIES * share),
    nats: share => readStream('nats', ENTRIES * share),
  }

  async function readStream(kind: 'redis' | 'nats', count: number): Promise<number> {
    const setting = await servers.fill(kind, count)
    return count / (await ingest.ask<number>({ setting, count }))
  }

  try {
    tell(`warming up, then ${ENTRIES} entries, or ${SECONDS} s, each`)
    for (const way of WAYS) await ways[way](0.3)
    const rates = await measureRounds({
      rounds,
      variants: WAYS,
      async measure(way) {
        await vacuum(database.pool)
        await scratch.checkpoint()
        return ways[way](1)
      },
      tell,
    })
    const common = { name: 'streams', anchor: rates.single, show: formatRate }
    return [
      compare({ ...common, what: 'a Redis stream : HTTP one by one', measured: rates.redis }),
      compare({ ...common, what: 'a NATS stream : HTTP one by one', measured: rates.nats }),
      compare({ ...common, what: 'HTTP in batches of 500 : HTTP one by one', measured: rates.batch }),
      compare({
        ...common,
        what: 'carillon.notify(), a commit each : HTTP one by one',
        measured: rates.sql,
      }),
    ]
  } finally {
    await Promise.all([load, api, ingest].map(child => child.stop()))
    await sqlPool.end()
    await servers.stop()
  }
}

/** Intents per second of several that work side by side; `work` says how many it has sent. */
async function repeat(workers: number, seconds: number, work: () => Promise<number>): Promise<number> {
  const startMs = performance.now()
  let sent = 0
  const one = async () => {
    while (performance.now() - startMs < seconds * 1000) {
      // In two steps: a sum that is begun before the wait would forget what the others have added meanwhile.
      const more = await work()
      sent += more
    }
  }
  await Promise.all(Array.from({ length: workers }, one))
  return sent / ((performance.now() - startMs) / 1000)
}

const run = randomBytes(6).toString('hex')
let made = 0
function nextIntent(): object {
  made++
  return {
    notification_type: TYPE,
    idempotency_key: `${run}-${made}`,
    audience: { kind: 'users', user_ids: [`user-${made % USERS}`] },
    payload: PAYLOAD,
  }
}

async function sendBatch(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/intents/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ intents: Array.from({ length: BATCH_ITEMS }, nextIntent) }),
  })
  const { accepted } = (await answer.json()) as { accepted: number }
  if (accepted !== BATCH_ITEMS) throw new Error(`Only ${accepted} of ${BATCH_ITEMS} were accepted`)
  return accepted
}

async function notify(pool: Pool): Promise<number> {
  await pool.query('select carillon.notify($1::jsonb)', [JSON.stringify(nextIntent())])
  return 1
}
