import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aConsumer, drainAll, emit, orderAll } from '../../../test/events.ts'
import { createPool, type Executor } from '../../platform/database/pool.ts'
import { drainPortion } from './drain.ts'

const carillon = useCarillon()
const cursor = async (consumer = 'triggers') =>
  (
    await carillon.pool.query(
      `select last_event_id::integer as last, head_id::integer as head, chunk_cursor, tries, last_error,
         next_attempt_at > now() as is_waiting
       from domain_events_processed where tenant_id = $1 and consumer = $2`,
      [carillon.tenantId, consumer],
    )
  ).rows[0]
const retryNow = () =>
  carillon.pool.query("update domain_events_processed set next_attempt_at = now() - interval '1 second'")
const letters = () => carillon.readAll('/v1/dead-letters')
const emitKinds = async (...kinds: string[]) => {
  for (const kind of kinds) await emit(carillon.pool, { kind })
}
/** What consumers of this file do: a row that is there exactly if the transaction was committed. */
const note = (tx: Executor, kind: string) => tx.query('insert into handled (kind) values ($1)', [kind])
const handled = async () =>
  (await carillon.pool.query('select kind from handled order by n')).rows.map(row => row.kind)
const noting = aConsumer(async (event, tx) => {
  await note(tx, event.kind)
})

beforeEach(async () => {
  await carillon.pool.query('create table if not exists handled (n serial, kind text)')
  for (const table of ['handled', 'domain_events', 'dead_letters', 'admin_system_events'])
    await carillon.pool.query(`delete from ${table}`)
  await carillon.pool.query(`update domain_events_processed set last_event_id = 0, head_id = 0, tries = 0,
    next_attempt_at = null, chunk_cursor = '', last_error = ''`)
})

describe('a consumer', () => {
  it('has a cursor for every tenant, from its creation on', { tags: 'S001-16' }, async () => {
    const { id } = await carillon.createTenant('newcomer')
    const { rows } = await carillon.pool.query(
      'select consumer, last_event_id::integer as last from domain_events_processed where tenant_id = $1 order by 1',
      [id],
    )
    expect(rows).toEqual([
      { consumer: 'notify_fanout', last: 0 },
      { consumer: 'triggers', last: 0 },
      { consumer: 'webhooks', last: 0 },
    ])
  })

  it('advances independently of the others', { tags: 'S001-16' }, async () => {
    await emitKinds('a', 'b')
    await drainAll(carillon.pool, noting, carillon.tenantId)
    expect(await cursor('triggers')).toMatchObject({ last: 2, head: 2 })
    expect(await cursor('webhooks')).toMatchObject({ last: 0, head: 2 })
  })

  it('reads in the order of the log, at most 200 at a time, and goes on where it was', {
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

  it('does not pass an event whose transaction commits late', { tags: 'S001-20' }, async () => {
    const late = await carillon.pool.connect()
    await late.query('begin')
    await emit(late, { kind: 'late' })
    await emitKinds('early')
    await drainAll(carillon.pool, noting, carillon.tenantId)
    expect(await handled()).toEqual(['early'])
    await late.query('commit')
    late.release()
    await drainAll(carillon.pool, noting, carillon.tenantId)
    expect(await handled()).toEqual(['early', 'late'])
  })

  it('reads a tenant’s log alone: a second worker leaves it to the first', { tags: 'S001-20' }, async () => {
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

  it('does not keep whoever writes events waiting while it handles one', { tags: 'S001-17' }, async () => {
    await emitKinds('slow')
    await orderAll(carillon.pool)
    const slow = aConsumer(async () => {
      await emitKinds('meanwhile')
      await orderAll(carillon.pool)
    })
    expect(await drainPortion({ pool: carillon.pool, consumer: slow }, carillon.tenantId)).toBe('end')
    expect(await cursor()).toMatchObject({ last: 1, head: 2 })
  })

  it('continues a large event where its last part ended, one transaction for each', async () => {
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
    expect(await cursor()).toMatchObject({ last: 0, chunk_cursor: 'f' })
    await drainAll(carillon.pool, parts, carillon.tenantId)
    expect(seen).toEqual(['large after ""', 'large after "f"', 'large after "m"', 'next after ""'])
    expect(await cursor()).toMatchObject({ last: 2, chunk_cursor: '' })
  })

  it('asks others before its transaction, and asks again when the cursor has moved meanwhile', async () => {
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
})

describe('an event that fails', () => {
  const poisoned = aConsumer(async (event, tx) => {
    await note(tx, event.kind)
    if (event.kind === 'poison') throw new Error('It cannot be handled.')
  })

  it('stops the log before it: what came before is done, what comes after waits', {
    tags: 'S001-18',
  }, async () => {
    await emitKinds('a', 'b', 'poison', 'c')
    expect(await drainAll(carillon.pool, poisoned, carillon.tenantId)).toBe('waiting')
    expect(await handled()).toEqual(['a', 'b'])
    expect(await cursor()).toMatchObject({
      ...{ last: 2, head: 4, tries: 1, last_error: 'It cannot be handled.', is_waiting: true },
    })
    expect(await drainAll(carillon.pool, poisoned, carillon.tenantId)).toBe('end')
    expect(await cursor()).toMatchObject({ tries: 1 })
  })

  it('is a dead letter after five tries, and the cursor moves on', { tags: 'S001-18' }, async () => {
    await emitKinds('a', 'poison', 'c')
    for (let n = 0; n < 5; n++) {
      await drainAll(carillon.pool, poisoned, carillon.tenantId)
      await retryNow()
    }
    expect(await handled()).toEqual(['a', 'c'])
    expect(await cursor()).toMatchObject({ last: 3, head: 3, tries: 0, last_error: '' })
    const { rows } = await carillon.pool.query("select event_id from domain_events where kind = 'poison'")
    expect(await letters()).toMatchObject([
      {
        ...{ source_kind: 'outbox', source: 'event_consumer', op: 'triggers', target_id: rows[0].event_id },
        ...{ failure_reason: 'max_retries_exceeded', final_attempt_count: 5, resolved_at: null },
        failure_message: 'It cannot be handled.',
      },
    ])
  })

  it('is a dead letter of each consumer that gives it up, once, also if it is read again', {
    tags: 'S001-18',
  }, async () => {
    await emitKinds('poison', 'c')
    const giveUp = async (name: string) => {
      for (let n = 0; n < 5; n++) {
        await drainAll(carillon.pool, { ...poisoned, name }, carillon.tenantId)
        await retryNow()
      }
    }
    await giveUp('triggers')
    await giveUp('webhooks')
    await carillon.request('POST', '/v1/event-consumers/webhooks/reset', { body: { to_event_id: 0 } })
    await giveUp('webhooks')
    expect(await cursor('webhooks')).toMatchObject({ last: 2, tries: 0 })
    expect((await letters()).map(({ op }) => op).sort()).toEqual(['triggers', 'webhooks'])
  })

  it('for the third time is told to operators as a cursor that is stuck, and no longer once it moves', {
    tags: 'S004-13',
  }, async () => {
    await emitKinds('poison')
    const stuck = async () =>
      (await carillon.readAll('/v1/system-events')).map(event => [event.subject, event.is_resolved])
    for (let n = 0; n < 3; n++) {
      expect(await stuck()).toEqual([])
      await drainAll(carillon.pool, poisoned, carillon.tenantId)
      await retryNow()
    }
    expect(await stuck()).toEqual([['triggers', false]])
    await drainAll(carillon.pool, noting, carillon.tenantId)
    expect(await stuck()).toEqual([['triggers', true]])
  })

  it('is not blamed when the connection is lost: it counts no try', async () => {
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

  it('while others are asked about it counts a try like any other', async () => {
    await emitKinds('a')
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const asking = aConsumer(() => {}, { prepare: () => Promise.reject(refused) })
    expect(await drainAll(carillon.pool, asking, carillon.tenantId)).toBe('waiting')
    expect(await cursor()).toMatchObject({ last: 0, tries: 1, last_error: 'connect ECONNREFUSED' })
  })
})
