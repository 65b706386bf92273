import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aConsumer, drainAll, emit, emptyLog, orderAll, retryNow } from '../../../test/events.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { createPool, type Executor } from '../../platform/database/pool.ts'
import { drainPortion } from './drain.ts'

const carillon = useCarillon()
const cursorsOf = async (key = carillon.key) =>
  (await carillon.request('GET', '/v1/event-consumers', { key })).body.data
const cursor = async (name = 'triggers') => {
  const { last_event_id, head_id, tries, last_error, next_attempt_at } = (await cursorsOf()).find(
    ({ consumer }: { consumer: string }) => consumer === name,
  )
  const isWaiting = next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now()
  return { last: last_event_id, head: head_id, tries, last_error, isWaiting }
}
const letters = () => carillon.readAll('/v1/dead-letters')
/** Gives the ids of the events. */
const emitKinds = async (...kinds: string[]) => {
  const ids: string[] = []
  for (const kind of kinds) ids.push(await emit(carillon.pool, { kind }))
  return ids
}
/** Consumers of this file write a row, which is there exactly if their transaction was committed. */
const note = (tx: Executor, kind: string) => tx.query('insert into handled (kind) values ($1)', [kind])
const handled = async () =>
  (await carillon.pool.query('select kind from handled order by n')).rows.map(row => row.kind)
const noting = aConsumer(async (event, tx) => {
  await note(tx, event.kind)
})

beforeAll(() => carillon.pool.query('create table handled (n serial, kind text)'))
afterAll(() => carillon.pool.query('drop table handled'))
beforeEach(async () => {
  await emptyLog(carillon.pool)
  for (const table of ['handled', 'dead_letters', 'admin_system_events'])
    await carillon.pool.query(`delete from ${table}`)
})

it('a new tenant has a cursor for every consumer', { tags: 'S001-16' }, async () => {
  const { key } = await carillon.createTenant('newcomer')
  expect(await cursorsOf(key)).toMatchObject([
    { consumer: 'notify_fanout', last_event_id: 0 },
    { consumer: 'triggers', last_event_id: 0 },
    { consumer: 'webhooks', last_event_id: 0 },
  ])
})

it('consumers advance independently of each other', { tags: 'S001-16' }, async () => {
  await emitKinds('a', 'b')
  await drainAll(carillon.pool, noting, carillon.tenantId)
  expect(await cursor('triggers')).toMatchObject({ last: 2, head: 2 })
  expect(await cursor('webhooks')).toMatchObject({ last: 0, head: 2 })
})

it('a consumer reads in the order of the log, at most 200 events at a time', {
  tags: 'S001-17',
}, async () => {
  const kinds = Array.from({ length: 450 }, (_, n) => `k${n}`)
  await emitKinds(...kinds)
  await orderAll(carillon.pool)
  const drain = () => drainPortion({ pool: carillon.pool, consumer: noting }, carillon.tenantId)
  expect(await drain()).toBe('more')
  expect(await cursor()).toMatchObject({ last: 200, head: 450 })
  expect([await drain(), await drain(), await drain()]).toEqual(['more', 'end', 'end'])
  expect(await handled()).toEqual(kinds)
})

it('a consumer misses no event whose transaction commits late', { tags: 'S001-20' }, async () => {
  const late = await openTransaction(carillon.pool)
  await emit(late.client, { kind: 'late' })
  await emitKinds('early')
  await drainAll(carillon.pool, noting, carillon.tenantId)
  expect(await handled()).toEqual(['early'])
  await late.commit()
  await drainAll(carillon.pool, noting, carillon.tenantId)
  expect(await handled()).toEqual(['early', 'late'])
})

it('a consumer reads a tenant’s log in one process at a time', { tags: 'S001-20' }, async () => {
  await emitKinds('a', 'b')
  await orderAll(carillon.pool)
  const pools = [1, 2].map(() => createPool(carillon.url, { max: 2 }))
  let isSecondDone: string | undefined
  const first = aConsumer(async (event, tx) => {
    isSecondDone ??= await drainPortion({ pool: pools[1]!, consumer: noting }, carillon.tenantId)
    await noting.handle(tx as never, event, '', undefined)
  })
  expect(await drainPortion({ pool: pools[0]!, consumer: first }, carillon.tenantId)).toBe('end')
  expect(isSecondDone).toBe('busy')
  expect(await handled()).toEqual(['a', 'b'])
  await Promise.all(pools.map(pool => pool.end()))
})

it('a consumer that handles an event does not keep writers of events waiting', {
  tags: 'S001-17',
}, async () => {
  await emitKinds('slow')
  await orderAll(carillon.pool)
  const slow = aConsumer(async () => {
    await emitKinds('meanwhile')
    await orderAll(carillon.pool)
  })
  expect(await drainPortion({ pool: carillon.pool, consumer: slow }, carillon.tenantId)).toBe('end')
  expect(await cursor()).toMatchObject({ last: 1, head: 2 })
})

it('a consumer continues a large event where its last part ended, in a new transaction', async () => {
  await emitKinds('large', 'next')
  const seen: string[] = []
  const parts = aConsumer(() => {}, {
    async handle(_tx, event, chunkCursor) {
      seen.push(`${event.kind} after "${chunkCursor}"`)
      if (event.kind !== 'large' || chunkCursor === 'm') return undefined
      return chunkCursor === '' ? 'f' : 'm'
    },
  })
  await orderAll(carillon.pool)
  await drainPortion({ pool: carillon.pool, consumer: parts }, carillon.tenantId)
  expect([seen, (await cursor()).last]).toEqual([['large after ""'], 0])
  await drainAll(carillon.pool, parts, carillon.tenantId)
  expect(seen).toEqual(['large after ""', 'large after "f"', 'large after "m"', 'next after ""'])
  expect(await cursor()).toMatchObject({ last: 2 })
})

it('a consumer prepares outside its transaction, and again when the cursor has moved meanwhile', async () => {
  await emitKinds('a', 'b')
  await orderAll(carillon.pool)
  const asked: string[] = []
  const asking = aConsumer(() => {}, {
    async prepare(event) {
      asked.push(event.kind)
      if (asked.length === 1)
        await drainPortion({ pool: carillon.pool, consumer: noting, maxEvents: 1 }, carillon.tenantId)
      return `visible for ${event.kind}`
    },
    async handle(tx, event, _chunkCursor, prepared) {
      await note(tx, `${event.kind}: ${prepared}`)
      return undefined
    },
  })
  await drainAll(carillon.pool, asking, carillon.tenantId)
  expect(asked).toEqual(['a', 'b'])
  expect(await handled()).toEqual(['a', 'b: visible for b'])
})

describe('events that fail', () => {
  const poisoned = aConsumer(async (event, tx) => {
    await note(tx, event.kind)
    if (event.kind === 'poison') throw new Error('It cannot be handled.')
  })

  it('an event that fails stops the log: earlier events are done, later ones wait', {
    tags: 'S001-18',
  }, async () => {
    await emitKinds('a', 'b', 'poison', 'c')
    expect(await drainAll(carillon.pool, poisoned, carillon.tenantId)).toBe('waiting')
    expect(await handled()).toEqual(['a', 'b'])
    expect(await cursor()).toMatchObject({
      ...{ last: 2, head: 4, tries: 1, last_error: 'It cannot be handled.', isWaiting: true },
    })
    expect(await drainAll(carillon.pool, poisoned, carillon.tenantId)).toBe('end')
    expect(await cursor()).toMatchObject({ tries: 1 })
  })

  it('an event that fails becomes a dead letter after five tries, and the cursor moves on', {
    tags: 'S001-18',
  }, async () => {
    const [, poison] = await emitKinds('a', 'poison', 'c')
    for (let n = 0; n < 5; n++) {
      await drainAll(carillon.pool, poisoned, carillon.tenantId)
      await retryNow(carillon.pool)
    }
    expect(await handled()).toEqual(['a', 'c'])
    expect(await cursor()).toMatchObject({ last: 3, head: 3, tries: 0, last_error: '' })
    expect(await letters()).toMatchObject([
      {
        ...{ source_kind: 'outbox', source: 'event_consumer', op: 'triggers', target_id: poison },
        ...{ failure_reason: 'max_retries_exceeded', final_attempt_count: 5, resolved_at: null },
        failure_message: 'It cannot be handled.',
      },
    ])
  })

  it('an event becomes one dead letter of each consumer that gives it up, also if it is read again', {
    tags: 'S001-18',
  }, async () => {
    await emitKinds('poison', 'c')
    const giveUp = async (name: string) => {
      for (let n = 0; n < 5; n++) {
        await drainAll(carillon.pool, { ...poisoned, name }, carillon.tenantId)
        await retryNow(carillon.pool)
      }
    }
    await giveUp('triggers')
    await giveUp('webhooks')
    await carillon.request('POST', '/v1/event-consumers/webhooks/reset', { body: { to_event_id: 0 } })
    await giveUp('webhooks')
    expect(await cursor('webhooks')).toMatchObject({ last: 2, tries: 0 })
    expect((await letters()).map(({ op }) => op).sort()).toEqual(['triggers', 'webhooks'])
  })

  it('an event that fails three times raises a system event until the cursor moves', {
    tags: 'S004-13',
  }, async () => {
    await emitKinds('poison')
    const stuck = async () =>
      (await carillon.readAll('/v1/system-events')).map(event => [event.subject, event.is_resolved])
    for (let n = 0; n < 3; n++) {
      expect(await stuck()).toEqual([])
      await drainAll(carillon.pool, poisoned, carillon.tenantId)
      await retryNow(carillon.pool)
    }
    expect(await stuck()).toEqual([['triggers', false]])
    await drainAll(carillon.pool, noting, carillon.tenantId)
    expect(await stuck()).toEqual([['triggers', true]])
  })

  it('an event is not blamed for a lost connection, which counts no try', async () => {
    await emitKinds('a')
    const dying = aConsumer(async (_event, tx) => {
      await tx.query('select pg_terminate_backend(pg_backend_pid())')
    })
    await expect(drainAll(carillon.pool, dying, carillon.tenantId)).rejects.toThrow()
    expect(await cursor()).toMatchObject({ last: 0, tries: 0 })
    // The server may notice only now that the connection is gone; until then, its transaction holds the cursor.
    await expect
      .poll(async () => {
        await drainAll(carillon.pool, noting, carillon.tenantId)
        return handled()
      })
      .toEqual(['a'])
  })

  it('an event whose preparation fails counts a try', async () => {
    await emitKinds('a')
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const asking = aConsumer(() => {}, { prepare: () => Promise.reject(refused) })
    expect(await drainAll(carillon.pool, asking, carillon.tenantId)).toBe('waiting')
    expect(await cursor()).toMatchObject({ last: 0, tries: 1, last_error: 'connect ECONNREFUSED' })
  })
})
