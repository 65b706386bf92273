import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { startDispatcher } from '../../../test/dispatching.ts'
import { aConsumer, drainAll, emit, emptyLog, retryNow } from '../../../test/events.ts'
import { untilBlocked } from '../../../test/open-transaction.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { LoggedEvent } from './consumer.ts'
import { createReplayHandler } from './replay.ts'

const carillon = useCarillon()
const cursors = async () =>
  Object.fromEntries(
    (await carillon.request('GET', '/v1/event-consumers')).body.data.map((row: { consumer: string }) => [
      row.consumer,
      row,
    ]),
  )
const reset = (to_event_id: unknown, name = 'triggers') =>
  carillon.request('POST', `/v1/event-consumers/${name}/reset`, { body: { to_event_id } })
const seen: string[] = []
const noting = aConsumer(event => void seen.push(event.kind))

beforeEach(async () => {
  seen.length = 0
  await emptyLog(carillon.pool)
  for (const table of ['dead_letters', 'outbox']) await carillon.pool.query(`delete from ${table}`)
})

it('event consumers are listed with how far each has read', { tags: 'S001-16' }, async () => {
  for (const kind of ['a', 'b', 'poison']) await emit(carillon.pool, { kind })
  const failing = aConsumer(event => {
    if (event.kind === 'poison') throw new Error('bad')
  })
  await drainAll(carillon.pool, failing, carillon.tenantId)
  const { triggers, webhooks, notify_fanout } = await cursors()
  expect(triggers).toMatchObject({ last_event_id: 2, head_id: 3, lag: 1, tries: 1, last_error: 'bad' })
  expect(triggers.next_attempt_at).not.toBeNull()
  for (const other of [webhooks, notify_fanout])
    expect(other).toMatchObject({ last_event_id: 0, head_id: 3, lag: 3, tries: 0, last_error: '' })
})

it('fan-out cannot be reset to events whose records are gone by now', {
  tags: 'S001-19',
}, async () => {
  const fanout = aConsumer(() => {}, { name: 'notify_fanout' })
  for (let n = 0; n < 3; n++) await emit(carillon.pool)
  await drainAll(carillon.pool, fanout, carillon.tenantId)
  const { last_event_id: last } = (await cursors()).notify_fanout
  await carillon.pool.query(
    `update domain_events set created_at = now() - interval '366 days' + id * interval '1 second' where id <= $1`,
    [last - 1],
  )
  const refused = problemOf(await reset(last - 2, 'notify_fanout'))
  expect(refused.errors).toMatchObject([
    { field: 'to_event_id', message: expect.stringContaining(`${last - 1}`) },
  ])
  expect((await reset(last - 1, 'notify_fanout')).status).toBe(200)
  // Going further forward is never refused.
  expect((await reset(last, 'notify_fanout')).status).toBe(200)
})

it('resetting a consumer has events read again, and the audit log says who did it', {
  tags: 'S001-19',
}, async () => {
  for (const kind of ['a', 'b', 'c']) await emit(carillon.pool, { kind })
  await drainAll(carillon.pool, noting, carillon.tenantId)
  const answer = await reset(1)
  expect([answer.status, answer.body.last_event_id, answer.body.lag]).toEqual([200, 1, 2])
  await drainAll(carillon.pool, noting, carillon.tenantId)
  expect(seen).toEqual(['a', 'b', 'c', 'b', 'c'])
  const [row] = await carillon.readAll('/v1/audit-logs?resource_type=event_consumer')
  expect(row).toMatchObject({
    ...{ action: 'reset', resource_id: 'triggers' },
    ...{ old_values: { last_event_id: 3 }, new_values: { last_event_id: 1 } },
  })
})

it('resetting a consumer passes over an event that fails, and not beyond the end of the log', async () => {
  await emit(carillon.pool, { kind: 'poison' })
  await emit(carillon.pool, { kind: 'next' })
  const failing = aConsumer(event => {
    if (event.kind === 'poison') throw new Error('bad')
    seen.push(event.kind)
  })
  await drainAll(carillon.pool, failing, carillon.tenantId)
  expect((await reset(1)).body).toMatchObject({ tries: 0, last_error: '', next_attempt_at: null })
  await drainAll(carillon.pool, failing, carillon.tenantId)
  expect(seen).toEqual(['next'])
  const beyond = await reset(3)
  expect(problemOf(beyond)).toMatchObject({ status: 400 })
  expect(beyond.body.errors).toEqual([{ field: 'to_event_id', message: 'The log ends at 2.' }])
  expect((await reset(-1)).body.errors[0].field).toBe('to_event_id')
  expect((await reset(0, 'unknown')).status).toBe(400)
})

it('resetting a consumer waits while it reads, and it notices nothing', { tags: 'S001-20' }, async () => {
  await emit(carillon.pool, { kind: 'a' })
  await emit(carillon.pool, { kind: 'b' })
  let resetting: Promise<unknown> = Promise.resolve()
  const slow = aConsumer(async event => {
    seen.push(event.kind)
    if (event.kind !== 'a' || seen.length > 1) return
    resetting = reset(0)
    await untilBlocked(carillon.pool, 1, 'the reset to wait')
  })
  await drainAll(carillon.pool, slow, carillon.tenantId)
  await resetting
  expect(await cursors()).toMatchObject({ triggers: { last_event_id: 0 } })
  await drainAll(carillon.pool, slow, carillon.tenantId)
  expect(seen).toEqual(['a', 'b', 'a', 'b'])
})

describe('replaying the dead letter of an event', () => {
  async function deadEvent(): Promise<{ id: string; target_id: string }> {
    await emit(carillon.pool, { kind: 'poison' })
    const failing = aConsumer(() => Promise.reject(new Error('bad')))
    for (let n = 0; n < 5; n++) {
      await drainAll(carillon.pool, failing, carillon.tenantId)
      await retryNow(carillon.pool)
    }
    return (await carillon.readAll('/v1/dead-letters'))[0]
  }
  const replay = (id: string) => carillon.request('POST', `/v1/dead-letters/${id}/replay`)
  const emptied = () =>
    waitFor(async () => (await carillon.pool.query('select from outbox')).rowCount === 0, {
      what: 'the outbox to be empty',
    })

  it('replaying a dead letter handles its one event, part after part, and leaves the cursor alone', {
    tags: ['S001-18', 'S001-19'],
  }, async () => {
    const letter = await deadEvent()
    await emit(carillon.pool, { kind: 'later' })
    const parts: [string, string][] = []
    const consumer = aConsumer(() => {}, {
      async handle(_tx, event: LoggedEvent, chunkCursor) {
        parts.push([event.event_id, chunkCursor])
        return chunkCursor === '' ? 'half' : undefined
      },
    })
    expect((await replay(letter.id)).body.resolution).toBe('replayed')
    startDispatcher(carillon.pool, [createReplayHandler(carillon.pool, [consumer])])
    await emptied()
    expect(parts).toEqual([
      [letter.target_id, ''],
      [letter.target_id, 'half'],
    ])
    expect((await cursors()).triggers).toMatchObject({ last_event_id: 1 })
  })

  it('a replayed event that fails again, or is gone, becomes a dead letter again', async () => {
    const letter = await deadEvent()
    await replay(letter.id)
    await carillon.pool.query('update outbox set max_attempts = 1')
    const failing = aConsumer(() => Promise.reject(new Error('still bad')))
    startDispatcher(carillon.pool, [createReplayHandler(carillon.pool, [failing])])
    await emptied()
    const [again] = await carillon.readAll('/v1/dead-letters')
    expect(again).toMatchObject({ op: 'triggers', failure_message: 'still bad', resolved_at: null })
    await carillon.pool.query('delete from domain_events')
    await replay(again.id)
    await emptied()
    const [last] = await carillon.readAll('/v1/dead-letters')
    expect(last).toMatchObject({ failure_reason: 'target_missing' })
  })

  it('a replayed event waits for the consumer that reads the log', async () => {
    const letter = await deadEvent()
    await replay(letter.id)
    const order: string[] = []
    const consumer = aConsumer(async event => {
      order.push(`${event.kind} begins`)
      if (event.kind === 'slow') {
        startDispatcher(carillon.pool, [createReplayHandler(carillon.pool, [consumer])])
        await untilBlocked(carillon.pool, 1, 'the replay to wait')
      }
      order.push(`${event.kind} ends`)
    })
    await emit(carillon.pool, { kind: 'slow' })
    await drainAll(carillon.pool, consumer, carillon.tenantId)
    await emptied()
    expect(order).toEqual(['slow begins', 'slow ends', 'poison begins', 'poison ends'])
  })
})
