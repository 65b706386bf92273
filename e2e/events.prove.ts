import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({ CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8' }))
const { start, connect } = processes

const query = async (text: string) => (await processes.database.pool.query(text)).rows
const behind = () =>
  query("select from domain_events_processed where consumer = 'webhooks' and last_event_id < head_id")

test('two processes that read and kill -9 in a loop: every event is handled once, in the order of the log', {
  tags: ['S001-17', 'S001-20'],
}, async () => {
  const ROUNDS = 4
  const PER_ROUND = 60
  await start('api')
  // Paused, so that what the consumer wrote stays where it can be counted.
  await connect().webhooks.create({
    url: processes.receiver.url,
    events: ['event.emitted'],
    is_paused: true,
    ordering: 'endpoint',
  })
  const settings = { CARILLON_POLL_MS: '20' }
  const readers = [await start('fanout', settings), await start('fanout', settings)]
  // Commits in the middle of everything, and late.
  const late = await processes.database.pool.connect()
  await late.query('begin')
  await late.query(`select carillon.emit_event('{"kind": "late"}')`)
  let emitted = 0
  for (let round = 0; round < ROUNDS; round++) {
    const before = (await query('select from outbox')).length
    const emitting = (async () => {
      for (let n = 0; n < PER_ROUND; n++) {
        const events = [1, 2].map(() => ({ kind: 'x', idempotency_key: `e${emitted++}` }))
        await connect().events.emitBatch({ events })
      }
    })()
    await waitFor(async () => (await query('select from outbox')).length >= before + 20, {
      what: 'work in flight',
    })
    await readers[round % 2]!.end('SIGKILL')
    readers[round % 2] = await start('fanout', settings)
    await emitting
    if (round !== 1) continue
    await late.query('commit')
    late.release()
    emitted++
  }
  const handled = async () => (await query('select from outbox')).length
  await waitFor(async () => (await handled()) >= emitted && (await behind()).length === 0, {
    what: 'every event to be handled',
    deadlineMs: 60_000,
  })
  const log = await query('select id::integer, event_id, kind from domain_events order by id')
  expect(log.map(event => event.id)).toEqual(Array.from({ length: emitted }, (_, n) => n + 1))
  expect(log.filter(event => event.kind === 'late')).toHaveLength(1)
  const rows = await query("select context ->> 'event_id' as event_id from outbox order by seq")
  expect(rows.map(row => row.event_id)).toEqual(log.map(event => event.event_id))
})
