/** Fan-out of one event to everybody who watches its topic, as a ratio to inserting the same rows from a table. */
import { performance } from 'node:perf_hooks'
import type { EventConsumer } from '../../../server/dist/events/event-consumers/consumer.js'
import { drainPortion } from '../../../server/dist/events/event-consumers/drain.js'
import { createFanoutConsumer } from '../../../server/dist/events/fanout/fanout.js'
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { type Benchmark, type Context, compare, type Result } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { prepareTenant } from '../tenant.ts'

const WATCHERS = 100_000
const VARIANTS = ['fan-out', 'insert'] as const

/** What the built-in rules give watchers: the inbox when something is closed, a mail besides when it is opened. */
const CASES = [
  { name: 'fanout', kind: 'issue_closed', tables: ['notifications'], to: 'inbox' },
  { name: 'fanout_mail', kind: 'issue_created', tables: ['notifications', 'routes'], to: 'inbox and mail' },
]

export const benchmarkFanout: Benchmark = async context => {
  const database = await context.scratch.createDatabase('fanout')
  const tenant = await prepareTenant(database)
  context.tell(`adding ${WATCHERS.toLocaleString('en')} people who watch a topic`)
  await addWatchers(database.pool, tenant.id)
  const results: Result[] = []
  for (const each of CASES) {
    const rates = await measureRounds({
      ...context,
      variants: VARIANTS,
      measure: variant => measure(context, database.pool, tenant.id, each, variant),
    })
    results.push(
      compare({
        name: each.name,
        what: `one event to 100,000 watchers, ${each.to} : insert of the same rows`,
        measured: rates['fan-out'],
        anchor: rates.insert,
        aim: 0.5,
        show: formatRate,
      }),
    )
  }
  return results
}

async function addWatchers(pool: Pool, tenantId: string): Promise<void> {
  await pool.query(
    `insert into users (tenant_id, id, email)
     select $1, 'watcher-' || n, 'watcher-' || n || '@example.com' from generate_series(1, $2) n`,
    [tenantId, WATCHERS],
  )
  await pool.query("insert into topics (tenant_id, topic) values ($1, 'repo')", [tenantId])
  await pool.query(
    `insert into watches (tenant_id, topic, user_id, level)
     select tenant_id, 'repo', id, 'all' from users where tenant_id = $1 and id like 'watcher-%'`,
    [tenantId],
  )
}

type Case = (typeof CASES)[number]

/** People per second. Both begin with empty tables; the rows to insert are those that fan-out wrote before. */
async function measure(
  { scratch }: Context,
  pool: Pool,
  tenantId: string,
  { kind, tables }: Case,
  variant: (typeof VARIANTS)[number],
): Promise<number> {
  await emit(pool, tenantId, kind)
  await empty(pool)
  const fanOut = () => drain(pool, tenantId)
  if (variant === 'fan-out') {
    await prepare(scratch, pool)
    return perSecond(fanOut)
  }
  await fanOut()
  for (const table of tables) {
    await pool.query(`drop table if exists copy_of_${table}`)
    await pool.query(`create unlogged table copy_of_${table} as select * from ${table}`)
  }
  await empty(pool)
  await prepare(scratch, pool)
  return perSecond(async () => {
    for (const table of tables) await pool.query(`insert into ${table} select * from copy_of_${table}`)
  })
}

async function emit(pool: Pool, tenantId: string, kind: string): Promise<void> {
  const event = {
    kind,
    topic: 'repo',
    actor_id: 'user-1',
    thread: { kind: 'issue', id: String(performance.now()), title: 'It crashes' },
    payload: { body: 'I have tried everything.', number: 7 },
  }
  await pool.query('select emit_event($1)', [JSON.stringify(event)])
  await pool.query('select order_events($1, 1000)', [tenantId])
}

async function empty(pool: Pool): Promise<void> {
  await pool.query('truncate notifications, routes, route_attempts, records cascade')
}

async function prepare(scratch: Context['scratch'], pool: Pool): Promise<void> {
  for (const table of ['users', 'watches', 'notifications', 'routes'])
    await pool.query(`vacuum (analyze) ${table}`)
  await scratch.checkpoint()
}

async function drain(pool: Pool, tenantId: string): Promise<void> {
  const visibility = { isAsked: async () => false, ask: async () => [] }
  const consumer = createFanoutConsumer({ pool, visibility, onTold: () => {} }) as EventConsumer
  for (;;) {
    const drained = await drainPortion({ pool, consumer }, tenantId)
    if (drained === 'end') return
    if (drained !== 'more') throw new Error(`fan-out ended with ${drained}`)
  }
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return (WATCHERS / (performance.now() - start)) * 1000
}
