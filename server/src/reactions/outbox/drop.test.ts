import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aHandler, startDispatcher } from '../../../test/dispatching.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { claimRows } from './claim.ts'
import { enqueue, type NewOutboxRow } from './enqueue.ts'
import type { CompletedDispatch, OutboxHandler } from './handler.ts'

const carillon = useCarillon()

async function put(row: Partial<NewOutboxRow> = {}): Promise<string> {
  const target_id = randomUUID()
  const [id] = await enqueue(carillon.pool, [
    { tenant_id: carillon.tenantId, source_kind: 'test', op: 'happened', target_id, payload: '{}', ...row },
  ])
  return id!
}

const emptied = () =>
  waitFor(async () => (await carillon.pool.query('select from outbox')).rowCount === 0, {
    what: 'the outbox to be empty',
  })
const lettersOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters?state=all')).filter(letter => letter.original_event_id === id)

/** Claims the row as often as it may be tried, by dispatchers that die. */
async function lose(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    expect(await claimRows(carillon.pool, [], { test: 10 }, 10, `dead ${i}`, 30)).toHaveLength(1)
    await carillon.pool.query("update outbox set lease_until = now() - interval '1 s'")
  }
}

/** Returns what `record` was told. */
function start(handle: Parameters<typeof aHandler>[0], options: Partial<OutboxHandler> = {}) {
  const recorded: CompletedDispatch<unknown>[] = []
  const dead: string[] = []
  const handler = aHandler(handle, {
    record: async (_tx, dispatches) => void recorded.push(...dispatches),
    ...options,
  })
  startDispatcher(carillon.pool, [handler], {
    events: {
      onDispatched: () => {},
      onDead: (_tenant, source) => void dead.push(source),
      onError: () => {},
    },
  })
  return { recorded, dead }
}

it('what a handler drops is gone: no other attempt and no dead letter, but recorded', {
  tags: 'S003-14',
}, async () => {
  const { recorded, dead } = start(() => ({ kind: 'drop', message: 'nobody waits for it' }))
  const id = await put({ max_attempts: 5 })
  await emptied()
  expect(recorded).toMatchObject([
    {
      row: { id, attempt_count: 1 },
      completion: { action: 'drop', message: 'nobody waits for it', failure_reason: null },
    },
  ])
  expect(dead).toEqual([])
  expect(await lettersOf(id)).toEqual([])
})

it('what is behind a dropped row in its order is dispatched next', async () => {
  const handled: string[] = []
  start(row => {
    handled.push(row.payload)
    return row.payload === '1' ? { kind: 'drop', message: 'no' } : { kind: 'done' }
  })
  const target_id = randomUUID()
  for (const payload of ['1', '2', '3']) await put({ target_id, ordering_key: 'k', payload })
  await emptied()
  expect(handled).toEqual(['1', '2', '3'])
})

it('a handler can do without the letter of a row that was lost with its workers', {
  tags: 'S003-20',
}, async () => {
  const id = await put({ max_attempts: 2 })
  await lose(2)
  const { recorded, dead } = start(() => ({ kind: 'done' }), { onLost: () => 'drop' })
  await emptied()
  expect(recorded).toMatchObject([
    { row: { id }, completion: { action: 'drop', message: expect.stringContaining('The worker died') } },
  ])
  expect(dead).toEqual([])
  expect(await lettersOf(id)).toEqual([])
})

it('the same goes for a row whose handler throws at its last attempt, and not before', {
  tags: 'S003-20',
}, async () => {
  const id = await put({ max_attempts: 2, base_ms: 1 })
  const { recorded } = start(
    () => {
      throw new Error('oops')
    },
    { onLost: () => 'drop' },
  )
  await emptied()
  expect(recorded.map(({ completion }) => completion.action)).toEqual(['retry', 'drop'])
  expect(await lettersOf(id)).toEqual([])
})

it('what a worker had finished before it died is done, and if that cannot be found out now, it is asked again', async () => {
  const id = await put({ max_attempts: 1 })
  await lose(1)
  let asked = 0
  const { recorded, dead } = start(() => ({ kind: 'done' }), {
    onLost: async () => {
      if (++asked === 1) throw new Error('the database is away')
      return 'done' as const
    },
  })
  await emptied()
  const last = recorded.at(-1)!
  expect(last).toMatchObject({ row: { id, attempt_count: 2 }, completion: { action: 'done', message: '' } })
  expect([asked, dead, await lettersOf(id)]).toEqual([2, [], []])
})

it('without that, both leave a dead letter', async () => {
  const { recorded } = start(() => {
    throw new Error('oops')
  })
  const id = await put({ max_attempts: 1 })
  await emptied()
  expect(recorded.map(({ completion }) => completion.action)).toEqual(['dead'])
  expect(await lettersOf(id)).toMatchObject([{ failure_reason: 'max_retries_exceeded' }])
})
