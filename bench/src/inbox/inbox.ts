/** What an inbox costs over HTTP for a person with many rows: the badge, the first page, and a poll that finds no news. */
import { performance } from 'node:perf_hooks'
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { startChild } from '../child.ts'
import { atMost, type Benchmark, type Result } from '../result.ts'
import { percentile } from '../rounds.ts'
import { prepareTenant } from '../tenant.ts'

const ROWS = 50_000
/** Of the one person, one row in so many is unread; the other has never read anything. */
const UNREAD_EVERY = 50
const EVERYBODYS = 100
const WARM_UP = 100
const REQUESTS = 1000
const [READER, HOARDER] = ['user-7', 'user-8']

export const benchmarkInbox: Benchmark = async ({ scratch, tell }) => {
  const database = await scratch.createDatabase('inbox')
  const tenant = await prepareTenant(database)
  await fill(database.pool, tenant.id, READER, UNREAD_EVERY)
  await fill(database.pool, tenant.id, HOARDER, 1)
  await fillEverybodys(database.pool, tenant.id)
  const server = await startChild(new URL('./api-process.js', import.meta.url), { databaseUrl: database.url })
  const { url } = await server.ask<{ url: string }>('address')
  const ask = (person: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/inbox${path}${path.includes('?') ? '&' : '?'}user_id=${person}`, {
      headers: { authorization: `Bearer ${tenant.key}`, ...headers },
    })
  const etag = (await ask(READER, '/unread-count')).headers.get('etag') ?? ''
  const results: Result[] = []
  try {
    for (const [what, status, request] of [
      ['unread count', 200, () => ask(READER, '/unread-count')],
      ['unread count, all unread', 200, () => ask(HOARDER, '/unread-count')],
      ['first page of 20', 200, () => ask(READER, '')],
      ['first unread page', 200, () => ask(READER, '?q=is:unread')],
      ['poll without news (304)', 304, () => ask(READER, '/unread-count', { 'if-none-match': etag })],
    ] as const) {
      const times = await measure(request, status)
      const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
      tell(`${what}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
      results.push(atMost('inbox', `${what} of a person with ${ROWS} rows, p99`, p99, 25))
    }
    return results
  } finally {
    await server.stop()
  }
}

/** One after the other: the time of each, not what the machine can do at most. */
async function measure(request: () => Promise<Response>, status: number): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const start = performance.now()
    const answer = await request()
    await answer.arrayBuffer()
    if (answer.status !== status) throw new Error(`the server answered ${answer.status}`)
    if (i >= WARM_UP) times.push(performance.now() - start)
  }
  return times
}

async function fill(pool: Pool, tenantId: string, person: string, unreadEvery: number): Promise<void> {
  await pool.query(
    `insert into notifications (id, tenant_id, user_id, type, kind, reason, title, message, topic, thread_kind, thread_id,
       is_read, read_at, last_event_at)
     select uuid_v7(), $1, $2, 'comment', 'issue_comment', 'mention', 'A title of some words ' || n,
       repeat('What it says, in a few lines. ', 5), 'topic ' || n % 100, 'issue', n, n % $4::integer > 0,
       case when n % $4::integer > 0 then now() end, now() - make_interval(mins => n)
     from generate_series(1, $3::integer) n`,
    [tenantId, person, ROWS, unreadEvery],
  )
}

async function fillEverybodys(pool: Pool, tenantId: string): Promise<void> {
  await pool.query(
    `insert into notifications (id, tenant_id, type, title, message, last_event_at)
     select uuid_v7(), $1, 'maintenance', 'For everybody ' || n, 'At noon.', now() - make_interval(hours => n)
     from generate_series(1, $2::integer) n`,
    [tenantId, EVERYBODYS],
  )
  await pool.query('vacuum (analyze) notifications')
}
