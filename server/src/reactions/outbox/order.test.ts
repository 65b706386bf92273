import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aHandler, startDispatcher } from '../../../test/dispatching.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { claimRows, type OutboxRow } from './claim.ts'
import { enqueue, type NewOutboxRow } from './enqueue.ts'
import type { DispatchOutcome } from './handler.ts'
import { claimFollowers, putBlockedAside } from './order.ts'

const carillon = useCarillon()
const DONE: DispatchOutcome = { kind: 'done' }
const put = (rows: Partial<NewOutboxRow>[]) =>
  enqueue(
    carillon.pool,
    rows.map((row, i) => ({
      tenant_id: carillon.tenantId,
      source_kind: 'test',
      op: 'happened',
      target_id: randomUUID(),
      payload: String(i),
      ...row,
    })),
  )
const inOrder = (count: number, key: string, target = randomUUID(), more: Partial<NewOutboxRow> = {}) =>
  Array.from({ length: count }, (_, i) => ({
    target_id: target,
    ordering_key: key,
    payload: `${key}${i}`,
    ...more,
  }))
const emptied = () =>
  waitFor(async () => (await carillon.pool.query('select from outbox')).rowCount === 0, {
    what: 'the outbox to be empty',
    deadlineMs: 15_000,
  })

describe('first in, first out', () => {
  it('holds per target and key, with two dispatchers and failures in between; other keys do not wait', async () => {
    const seen: string[] = []
    let inFlight = 0
    let mostAtOnce = 0
    const handler = aHandler(async row => {
      mostAtOnce = Math.max(mostAtOnce, ++inFlight)
      await new Promise(resolve => setImmediate(resolve))
      inFlight--
      if (row.attempt_count === 1 && Number(row.payload.slice(1)) % 3 === 0)
        return { kind: 'retry', message: 'once more' }
      seen.push(row.payload)
      return DONE
    })
    const target = randomUUID()
    await put([...inOrder(12, 'a', target, { base_ms: 1 }), ...inOrder(12, 'b', target, { base_ms: 1 })])
    for (let i = 0; i < 2; i++) startDispatcher(carillon.pool, [handler])
    await emptied()
    const of = (key: string) => seen.filter(payload => payload.startsWith(key))
    expect(of('a')).toEqual(Array.from({ length: 12 }, (_, i) => `a${i}`))
    expect(of('b')).toEqual(Array.from({ length: 12 }, (_, i) => `b${i}`))
    expect(mostAtOnce).toBeGreaterThan(1)
  })

  it('makes a row that waits for its next attempt hold back the rows behind it, and no others', async () => {
    const seen: string[] = []
    const dispatcher = startDispatcher(carillon.pool, [
      aHandler(row => {
        if (row.payload === 'a0' && row.attempt_count === 1) return { kind: 'retry', message: 'later' }
        seen.push(row.payload)
        return DONE
      }),
    ])
    const target = randomUUID()
    await put([...inOrder(3, 'a', target, { base_ms: 3_600_000 }), ...inOrder(1, 'b', target), {}])
    await waitFor(async () => seen.length === 2, { what: 'the others' })
    expect(seen.sort()).toEqual(['4', 'b0'])
    await waitFor(
      async () =>
        (await carillon.pool.query('select from outbox where next_attempt_at <= now()')).rowCount === 0,
      { what: 'the rows behind it to be put aside' },
    )
    await carillon.pool.query("update outbox set next_attempt_at = now() where payload = 'a0'")
    await emptied()
    expect(seen.slice(2)).toEqual(['a0', 'a1', 'a2'])
    await dispatcher.stop()
  })

  it('releases the next row when one is given up', async () => {
    const seen: string[] = []
    startDispatcher(carillon.pool, [
      aHandler(row => {
        seen.push(row.payload)
        return row.payload === 'a0' ? { kind: 'permanent', message: 'no' } : DONE
      }),
    ])
    await put(inOrder(3, 'a'))
    await emptied()
    expect(seen).toEqual(['a0', 'a1', 'a2'])
  })

  it('does not put a row aside that has become the first since it was read', async () => {
    await put(inOrder(2, 'a'))
    const [head] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    const completing = await carillon.pool.connect()
    await completing.query('begin')
    await completing.query(`select complete_outbox('me', $1)`, [
      JSON.stringify([{ tenant_id: head!.tenant_id, id: head!.id, claim_count: head!.claim_count }]),
    ])
    expect(await putBlockedAside(carillon.pool)).toBe(0)
    await completing.query('commit')
    completing.release()
    const [next] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    expect(next?.payload).toBe('a1')
    await carillon.pool.query('delete from outbox')
  })

  it('does not put a row aside that arrives while the one before it is being completed', async () => {
    const target = randomUUID()
    await put(inOrder(1, 'a', target))
    const [head] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    const completing = await carillon.pool.connect()
    await completing.query('begin')
    await completing.query(`select complete_outbox('me', $1)`, [
      JSON.stringify([{ tenant_id: head!.tenant_id, id: head!.id, claim_count: head!.claim_count }]),
    ])
    await put([{ target_id: target, ordering_key: 'a', payload: 'late' }])
    expect(await putBlockedAside(carillon.pool)).toBe(0)
    await completing.query('commit')
    completing.release()
    const [next] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    expect(next?.payload).toBe('late')
    await carillon.pool.query('delete from outbox')
  })

  it('makes a row due again that was put aside while the completion of the one before it had begun', async () => {
    const target = randomUUID()
    await put(inOrder(1, 'a', target))
    const [head] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    // Holds the completion up after it has read the tables: its first statement waits for this lock.
    const holding = await carillon.pool.connect()
    await holding.query('begin')
    await holding.query('select from outbox where id = $1 for key share', [head!.id])
    const completing = carillon.pool.query(`select complete_outbox('me', $1)`, [
      JSON.stringify([{ tenant_id: head!.tenant_id, id: head!.id, claim_count: head!.claim_count }]),
    ])
    await waitFor(
      async () =>
        (await carillon.pool.query(`select from pg_stat_activity where wait_event_type = 'Lock'`))
          .rowCount === 1,
      { what: 'the completion to wait' },
    )
    await put([{ target_id: target, ordering_key: 'a', payload: 'late' }])
    await holding.query(
      `update outbox set next_attempt_at = now() + interval '1 minute' where payload = 'late'`,
    )
    await holding.query('commit')
    holding.release()
    await completing
    const [next] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    expect(next?.payload).toBe('late')
    await carillon.pool.query('delete from outbox')
  })

  it('claims the rows behind the first one with it, up to one that has its own time', async () => {
    const target = randomUUID()
    await put(inOrder(6, 'a', target))
    await carillon.pool.query(
      `update outbox set attempt_count = 1, next_attempt_at = now() + interval '1 hour' where payload = 'a4'`,
    )
    const claimed = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    const [chain] = await claimFollowers(carillon.pool, claimed, 'me', 30)
    expect(chain!.map(row => row.payload)).toEqual(['a0', 'a1', 'a2', 'a3'])
    expect(await claimFollowers(carillon.pool, claimed, 'me', 30)).toEqual([])
    await carillon.pool.query('delete from outbox')
  })

  it('puts a thousand rows behind a stuck one aside once, instead of stepping over them with every claim', async () => {
    const target = randomUUID()
    await put([...inOrder(1200, 'a', target, {})])
    const [head] = await claimRows(carillon.pool, [], { test: 100 }, 100, 'me', 30)
    expect(head!.payload).toBe('a0')
    expect(await putBlockedAside(carillon.pool)).toBe(1199)
    expect(await putBlockedAside(carillon.pool)).toBe(0)
    await carillon.pool.query('delete from outbox')
  })
})

describe('a batch', () => {
  const merge = (rows: OutboxRow[]) => ({
    payload: rows.map(row => row.payload).join('+'),
    context: { merged: rows.length },
  })

  it('turns rows of a target into one before anything is sent, and stays the same on every attempt', async () => {
    const seen: OutboxRow[] = []
    const handler = aHandler(
      row => {
        seen.push(row)
        return row.attempt_count === 1 ? { kind: 'retry', message: 'once more' } : DONE
      },
      { merge },
    )
    const target = randomUUID()
    await put(
      Array.from({ length: 7 }, (_, i) => ({
        target_id: target,
        batch_size: 5,
        payload: `p${i}`,
        base_ms: 1,
      })),
    )
    startDispatcher(carillon.pool, [handler])
    await emptied()
    const first = seen.filter(row => row.attempt_count === 1).map(row => [row.id, row.payload])
    const second = seen.filter(row => row.attempt_count === 2).map(row => [row.id, row.payload])
    expect(first.map(([, payload]) => payload).sort()).toEqual(['p0+p1+p2+p3+p4', 'p5+p6'])
    expect(second.sort()).toEqual(first.sort())
  })

  it('takes in nothing that was sent by itself before', async () => {
    const seen: string[] = []
    const handler = aHandler(
      row => {
        seen.push(row.payload)
        return DONE
      },
      { merge },
    )
    const target_id = randomUUID()
    await put(['a', 'b', 'c', 'd'].map(payload => ({ target_id, batch_size: 5, payload })))
    await carillon.pool.query(`update outbox set attempt_count = 1 where payload in ('a', 'c')`)
    startDispatcher(carillon.pool, [handler])
    await emptied()
    expect(seen.sort()).toEqual(['a', 'b+d', 'c'])
  })

  it('keeps the order of a key, including rows that were put aside', async () => {
    const seen: string[] = []
    const handler = aHandler(
      row => {
        seen.push(row.payload)
        return DONE
      },
      { merge },
    )
    await put(inOrder(7, 'a', randomUUID(), { batch_size: 3 }))
    await putBlockedAside(carillon.pool)
    startDispatcher(carillon.pool, [handler])
    await emptied()
    expect(seen).toEqual(['a0+a1+a2', 'a3+a4+a5', 'a6'])
  })

  it('takes no row that another dispatcher holds, and none of another target', async () => {
    const target = randomUUID()
    await put([{ target_id: target, batch_size: 5, payload: 'held' }])
    const held = await claimRows(carillon.pool, [], { test: 100 }, 100, 'somebody else', 30)
    expect(held).toHaveLength(1)
    const seen: string[] = []
    const handler = aHandler(
      row => {
        seen.push(row.payload)
        return DONE
      },
      { merge },
    )
    await put([
      { target_id: target, batch_size: 5, payload: 'x' },
      { target_id: target, batch_size: 5, payload: 'y' },
      { batch_size: 5, payload: 'other' },
    ])
    startDispatcher(carillon.pool, [handler])
    await waitFor(async () => seen.length === 2, { what: 'both targets' })
    expect(seen.sort()).toEqual(['other', 'x+y'])
    await carillon.pool.query('delete from outbox')
  })
})
