/** 5,000 open inbox streams on one process: what each costs, and how soon people hear of something. */
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type Child, startChild } from '../child.ts'
import { atMost, type Benchmark, type Result } from '../result.ts'
import { percentile } from '../rounds.ts'
import type { Database } from '../scratch.ts'
import type { Arrivals } from './client-process.ts'
import type { Memory } from './server-process.ts'

const CONNECTIONS = 5000
const PER_SECOND = 20
const SECONDS = 10
const WAIT_MS = 10_000
const now = () => performance.timeOrigin + performance.now()

export const benchmarkLive: Benchmark = async ({ scratch, tell }) => {
  const database = await scratch.createDatabase('live')
  const input = { databaseUrl: database.url, dataDir: scratch.folder }
  const server = await startChild(new URL('./server-process.js', import.meta.url), input)
  let clients: Child | undefined
  try {
    const api = createCaller(await server.ask<{ url: string; key: string }>('address'))
    const tokens = await createPeople(database, api)
    clients = await startChild(new URL('./client-process.js', import.meta.url), { url: api.url })
    const before = await server.ask<Memory>('memory')
    const start = now()
    await clients.ask({ tokens })
    await heard(clients, places(), 1)
    const after = await server.ask<Memory>('memory')
    tell(`${CONNECTIONS} streams open after ${((now() - start) / 1000).toFixed(1)} s`)
    const [rssKb, heapKb] = [
      (after.rss - before.rss) / CONNECTIONS / 1024,
      (after.heap - before.heap) / CONNECTIONS / 1024,
    ]
    tell(
      `memory per stream: ${rssKb.toFixed(1)} KB of the process, ${heapKb.toFixed(1)} KB of it live objects`,
    )

    const single = await measureSingle(api, clients)
    const everybody = await measureEverybody(database, clients)
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share => percentile(single, share)) as [
      number,
      number,
      number,
    ]
    tell(`intent → browser: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
    const [half, last] = [percentile(everybody, 0.5), Math.max(...everybody)]
    tell(`one row for everybody: half after ${half.toFixed(0)} ms, all after ${last.toFixed(0)} ms`)
    const what = `intent → browser at ${PER_SECOND}/s, ${CONNECTIONS} streams`
    return [
      kilobytes('memory per stream', rssKb, 50),
      atMost('live', `${what}, p50`, p50, 25),
      atMost('live', `${what}, p95`, p95),
      atMost('live', `${what}, p99`, p99, 250),
      atMost('live', `one row for everybody → ${CONNECTIONS} browsers, the last`, last, 5000),
    ]
  } finally {
    await clients?.stop()
    await server.stop()
  }
}

interface Caller {
  url: string
  post(path: string, body: object): Promise<{ token: string }>
}

function createCaller({ url, key }: { url: string; key: string }): Caller {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    url,
    async post(path, body) {
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as { token: string }
    },
  }
}

const nameOf = (place: number) => `user-${place}`
const places = () => Array.from({ length: CONNECTIONS }, (_, place) => place)

async function createPeople({ pool }: Database, api: Caller): Promise<string[]> {
  await pool.query(
    `insert into users (tenant_id, id) select t.id, 'user-' || n from tenants t, generate_series(0, $1 - 1) n`,
    [CONNECTIONS],
  )
  await pool.query('vacuum (analyze) users')
  const tokens: string[] = []
  for (const place of places())
    tokens.push((await api.post(`/v1/users/${nameOf(place)}/token`, { ttl_seconds: 86_400 })).token)
  return tokens
}

/** The arrivals, once each of these has had so many. */
async function heard(clients: Child, of: number[], count: number): Promise<Arrivals> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const arrivals = await clients.ask<Arrivals>('arrivals')
    const missing = of.filter(place => arrivals[place]!.length < count).length
    if (missing === 0) return arrivals
    if (waitedMs > WAIT_MS) throw new Error(`${missing} streams heard nothing`)
    await delay(100)
  }
}

/** Everybody at most once, so that it is certain which event belongs to which intent. */
async function measureSingle(api: Caller, clients: Child): Promise<number[]> {
  const total = PER_SECOND * SECONDS
  const sentAt: number[] = []
  const start = now()
  for (let place = 0; place < total; place++) {
    await delay(Math.max(0, start + (place * 1000) / PER_SECOND - now()))
    sentAt[place] = now()
    const audience = { kind: 'users', user_ids: [nameOf(place)] }
    void api.post('/v1/intents', {
      notification_type: 'live',
      audience,
      channels: ['in_app'],
      payload: { title: 'Hello' },
    })
  }
  const arrivals = await heard(
    clients,
    sentAt.map((_, place) => place),
    2,
  )
  return sentAt.map((at, place) => arrivals[place]![1]! - at)
}

async function measureEverybody({ pool }: Database, clients: Child): Promise<number[]> {
  const counts = (await heard(clients, places(), 1)).map(({ length }) => length)
  const at = now()
  const { rows } = await pool.query<{ tenant_id: string }>(
    `insert into notifications (id, tenant_id, type, title, message)
     select uuid_v7(), id, 'live', 'Hello', 'everybody' from tenants returning tenant_id`,
  )
  await pool.query("select pg_notify('carillon_inbox', $1)", [JSON.stringify([rows[0]!.tenant_id])])
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += 100) {
    const arrivals = await clients.ask<Arrivals>('arrivals')
    if (counts.every((count, place) => arrivals[place]!.length > count))
      return counts.map((count, place) => arrivals[place]![count]! - at)
    await delay(100)
  }
  throw new Error('some streams never heard of what is for everybody')
}

function kilobytes(what: string, value: number, aim: number): Result {
  return {
    name: 'live',
    what,
    measured: `${value.toFixed(1)} KB`,
    anchor: '',
    aim: `≤ ${aim} KB`,
    isMet: value <= aim,
    data: { value },
  }
}
