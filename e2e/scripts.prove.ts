import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { untilPassed } from './kill-rounds/victim.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({}))
const { start, connect } = processes

let unique = 0
const saved = async (source: string, settings: { timeout_ms?: number } = {}) =>
  (await connect().scripts.create({ name: `script-${++unique}`, source, ...settings })).id

async function count(from: string): Promise<number> {
  const { rows } = await processes.database.pool.query(
    `select count(*)::integer as count from carillon.${from}`,
  )
  return rows[0].count
}

/** Two entries, a counter and a notification: all of it, or nothing. */
const WORKS = `export default async event => {
  const { n } = event.data.message
  const counted = (await kv.get('totals', 'runs')) ?? 0
  await kv.set('left', 'n' + n, n)
  await kv.set('totals', 'runs', counted + 1)
  await kv.set('right', 'n' + n, n)
  await notify({ notification_type: 'counted', payload: { n },
    audience: { kind: 'addresses', channel: 'email', addresses: ['n' + n + '@example.com'] } })
  return n
}`

/** Of each message, by its number: how often it succeeded, was given up, and each effect is there. */
const VERDICT = `
  select n, (select count(*)::integer from carillon.runs r where r.status = 'succeeded' and r.result_json = n::text) as runs,
    (select count(*)::integer from carillon.dead_letters d where (d.payload::jsonb #>> '{message,n}')::integer = n) as letters,
    (select count(*)::integer from carillon.kv_entries k where k.collection = 'left' and k.key = 'n' || n) as left,
    (select count(*)::integer from carillon.kv_entries k where k.collection = 'right' and k.key = 'n' || n) as right,
    (select count(*)::integer from carillon.records x where x.recipients = array['n' || n || '@example.com']) as sent
  from generate_series(1, $1::integer) n`

test('two dispatchers and kill -9 in a loop: every event is one run with all of its effects, or one dead letter', {
  tags: ['S003-8', 'S003-9'],
}, async () => {
  const ROUNDS = 4
  const PER_ROUND = 30
  const settings = { CARILLON_LEASE_SECONDS: '2', CARILLON_POLL_MS: '50', CARILLON_SCRIPT_WORKERS: '2' }
  await start('api')
  const script = await saved(WORKS)
  await connect().triggers.create({
    name: 'works',
    kind: 'queue',
    script_id: script,
    config: { queue: 'work' },
    retry: { max_attempts: 4, backoff: 'constant', base_ms: 50 },
  })
  const dispatchers = [await start('dispatch', settings), await start('dispatch', settings)]
  let sent = 0
  for (let round = 0; round < ROUNDS; round++) {
    const numbers = Array.from({ length: PER_ROUND }, () => ++sent)
    await Promise.all(numbers.map(n => connect().queues.send('work', { message: { n } })))
    await untilPassed(Math.random() * 600)
    const [oldest] = dispatchers.splice(0, 1)
    await oldest!.end('SIGKILL')
    dispatchers.push(await start('dispatch', settings))
  }
  await waitFor(async () => (await count('outbox')) === 0, {
    what: 'the outbox to be empty',
    deadlineMs: 120_000,
  })

  const { rows } = await processes.database.pool.query(VERDICT, [sent])
  const wrong = rows.filter(row => {
    const { runs, letters, left, right, sent: notified } = row
    const effects = [left, right, notified]
    return runs + letters !== 1 || effects.some(each => each !== runs)
  })
  expect(wrong).toEqual([])
  const succeeded = rows.filter(row => row.runs === 1).length
  expect(succeeded).toBeGreaterThan(sent / 2)
  expect(await connect().kv.get('totals', 'runs')).toMatchObject({ value: succeeded })
  // Some of the kills hit what was running.
  expect(await count("runs where status = 'succeeded' and attempt > 1")).toBeGreaterThan(0)
})
