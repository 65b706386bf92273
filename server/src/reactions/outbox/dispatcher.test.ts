import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aHandler, startDispatcher } from '../../../test/dispatching.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { claimRows, extendLeases, type OutboxRow } from './claim.ts'
import { completeRows } from './complete.ts'
import { decideDispatch } from './decide.ts'
import { enqueue, type NewOutboxRow } from './enqueue.ts'

const carillon = useCarillon()
const DONE = { kind: 'done' } as const

const put = (row: Partial<NewOutboxRow> = {}) =>
  enqueue(carillon.pool, [
    {
      tenant_id: carillon.tenantId,
      source_kind: 'test',
      op: 'happened',
      target_id: randomUUID(),
      payload: '{}',
      ...row,
    },
  ]).then(([id]) => id!)
const claim = (owner: string, limit = 100) => claimRows(carillon.pool, [], { test: 100 }, limit, owner, 30)
const done = (rows: OutboxRow[]) => rows.map(row => decideDispatch(row, DONE, 0.5))
const left = async () => (await carillon.pool.query('select id from outbox')).rows.map(row => row.id)
const emptied = () => waitFor(async () => (await left()).length === 0, { what: 'the outbox to be empty' })
const letterOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters?state=all')).find(letter => letter.original_event_id === id)
const letLeasesRunOut = () => carillon.pool.query("update outbox set lease_until = now() - interval '1 s'")
const makeDue = () =>
  carillon.pool.query('update outbox set next_attempt_at = now() where lease_owner is null')

describe('the outbox', () => {
  it('dispatchers that claim at once never hold the same row', { tags: 'S003-8' }, async () => {
    const targets = Array.from({ length: 7 }, () => randomUUID())
    for (let i = 0; i < 60; i++) await put({ target_id: targets[i % 7]! })
    const owners = ['a', 'b', 'c', 'd']
    const claims = await Promise.all(owners.map(owner => claim(owner, 20)))
    const held = claims.flat().map(row => row.id)
    expect(new Set(held).size).toBe(held.length)
    expect(held).toHaveLength(60)
    await Promise.all(owners.map((owner, i) => completeRows(carillon.pool, owner, done(claims[i]!))))
    expect(await left()).toEqual([])
  })

  it('the rows of a crashed dispatcher are taken over when its lease ends, and it can no longer complete them', {
    tags: 'S003-8',
  }, async () => {
    const id = await put()
    const [held] = await claim('dead')
    expect(await claim('other')).toEqual([])
    await letLeasesRunOut()
    const [taken] = await claim('other')
    expect(taken).toMatchObject({ id, attempt_count: 2, claim_count: 2 })
    expect([...(await completeRows(carillon.pool, 'dead', done([held!])))]).toEqual([])
    expect(await left()).toEqual([id])
    expect([...(await completeRows(carillon.pool, 'other', done([taken!])))]).toEqual([id])
  })

  it('rows of two tenants may have the same id, and each is claimed, prolonged and completed by itself', {
    tags: 'S004-7',
  }, async () => {
    const other = await carillon.createTenant('same ids')
    const row = { id: randomUUID(), target_id: randomUUID() }
    for (const tenant_id of [carillon.tenantId, other.id]) await put({ ...row, tenant_id })
    const [mine, theirs] = (await claim('me')).sort(row => (row.tenant_id === other.id ? 1 : -1))
    await extendLeases(carillon.pool, [mine!], 'me', 3600)
    const { rows } = await carillon.pool.query(
      "select tenant_id from outbox where lease_until > now() + interval '1 minute'",
    )
    expect(rows).toEqual([{ tenant_id: carillon.tenantId }])
    expect([...(await completeRows(carillon.pool, 'me', done([mine!])))]).toEqual([row.id])
    expect(await left()).toEqual([row.id])
    expect([...(await completeRows(carillon.pool, 'me', done([theirs!])))]).toEqual([row.id])
  })

  it('targets of one tenant that all hang take no slot from another tenant', async () => {
    const neighbour = await carillon.createTenant('neighbour')
    const ends: (() => void)[] = []
    const arrived: string[] = []
    const handler = aHandler(
      row => {
        arrived.push(row.payload)
        return row.payload === 'hangs' ? new Promise(resolve => ends.push(() => resolve(DONE))) : DONE
      },
      { maxPerTarget: 4 },
    )
    for (let i = 0; i < 60; i++) await put({ payload: 'hangs' })
    startDispatcher(carillon.pool, [handler], { concurrency: 20 })
    await waitFor(async () => ends.length >= 20, { what: 'every slot to hang' })
    await put({ tenant_id: neighbour.id, payload: 'passes' })
    await waitFor(async () => arrived.includes('passes'), { what: 'the other tenant’s row' })
    await waitFor(
      async () => {
        for (const end of ends.splice(0)) end()
        return (await left()).length === 0
      },
      { what: 'the rest' },
    )
  })

  it('a dispatcher that claimed its own row again, when its lease had run out, records it once', async () => {
    const recorded: string[] = []
    const answers: (() => void)[] = []
    const handler = aHandler(() => new Promise(resolve => answers.push(() => resolve(DONE))), {
      record: async (_tx, settled) => {
        recorded.push(...settled.map(({ row }) => `${row.id} ${row.claim_count}`))
      },
    })
    const dispatcher = startDispatcher(carillon.pool, [handler])
    const id = await put()
    await waitFor(async () => answers.length === 1, { what: 'the first claim' })
    await letLeasesRunOut()
    await waitFor(async () => answers.length === 2, { what: 'the second claim' })
    // Both in the same turn, so that they are completed together.
    for (const answer of answers) answer()
    await emptied()
    await dispatcher.stop()
    expect(recorded).toEqual([`${id} 2`])
    const completed = dispatcher.dispatched.map(({ row, completed }) => [row.claim_count, completed])
    expect(completed.toSorted()).toEqual([
      [1, false],
      [2, true],
    ])
  })

  it('success deletes the row; the handler sees payload and context as they were enqueued', {
    tags: 'S003-9',
  }, async () => {
    const seen: OutboxRow[] = []
    startDispatcher(carillon.pool, [
      aHandler(row => {
        seen.push(row)
        return DONE
      }),
    ])
    const id = await put({ payload: '{"b": 1.0, "a":2}', context: { x: [1] } })
    await emptied()
    expect(seen).toMatchObject([{ id, payload: '{"b": 1.0, "a":2}', context: { x: [1] }, attempt_count: 1 }])
  })

  it('failed attempts are counted and spaced out; the last one leaves a dead letter and deletes the row', {
    tags: ['S003-9', 'S003-17'],
  }, async () => {
    const dispatcher = startDispatcher(carillon.pool, [
      aHandler(() => ({ kind: 'retry', message: 'not now' })),
    ])
    const target = randomUUID()
    const id = await put({ target_id: target, payload: '{"exact":  true}' })
    for (const attempt of [1, 2]) {
      await waitFor(async () => dispatcher.dispatched.length === attempt, { what: `attempt ${attempt}` })
      const { rows } = await carillon.pool.query(
        'select attempt_count, last_error, next_attempt_at > now() as later from outbox',
      )
      expect(rows).toEqual([{ attempt_count: attempt, last_error: 'not now', later: true }])
      await makeDue()
    }
    await emptied()
    expect(await letterOf(id)).toMatchObject({
      source_kind: 'outbox',
      source: 'test',
      op: 'happened',
      target_id: target,
      channel: null,
      final_attempt_count: 3,
      max_attempts: 3,
      failure_reason: 'max_retries_exceeded',
      failure_classification: 'transient',
      failure_message: 'not now',
      first_attempt_at: expect.any(String),
      last_attempt_at: expect.any(String),
      resolution: null,
    })
    const detail = await carillon.request('GET', `/v1/dead-letters/${(await letterOf(id)).id}`)
    expect(detail.body).toMatchObject({ payload_json: '{"exact":  true}', attempts: [] })
  })

  it('each row keeps its own retry policy: budget and backoff', { tags: ['S003-2', 'S003-7'] }, async () => {
    const [constant, linear, exponential] = await Promise.all([
      put({ backoff: 'constant', base_ms: 60_000, jitter: 0, max_attempts: 9 }),
      put({ backoff: 'linear', base_ms: 60_000, jitter: 0, max_attempts: 9 }),
      put({ backoff: 'exponential', base_ms: 60_000, jitter: 0, max_attempts: 9 }),
    ])
    await carillon.pool.query('update outbox set attempt_count = 2')
    const dispatcher = startDispatcher(carillon.pool, [aHandler(() => ({ kind: 'retry', message: '' }))])
    await waitFor(async () => dispatcher.dispatched.length === 3, { what: 'one attempt each' })
    await dispatcher.stop()
    const { rows } = await carillon.pool.query(
      `select id, round(extract(epoch from next_attempt_at - first_attempt_at) / 60)::integer as minutes from outbox`,
    )
    expect(Object.fromEntries(rows.map(row => [row.id, row.minutes]))).toEqual({
      [constant]: 1,
      [linear]: 3,
      [exponential]: 4,
    })
    await carillon.pool.query('delete from outbox')
  })

  it('a row that finds no free slot is postponed without using an attempt, however often', {
    tags: 'S003-11',
  }, async () => {
    let free = false
    const dispatcher = startDispatcher(carillon.pool, [
      aHandler(() => (free ? DONE : { kind: 'busy', message: 'no slot', delay_ms: 1 })),
    ])
    const id = await put({ max_attempts: 1 })
    await waitFor(async () => dispatcher.dispatched.length >= 10, { what: 'ten dispatches' })
    free = true
    await emptied()
    expect(dispatcher.dispatched.at(-1)!.row).toMatchObject({ id, attempt_count: 1 })
    expect(await letterOf(id)).toBeUndefined()
  })

  it('a row beyond the maximum depth is dropped: not handled, not dead-lettered, but reported', {
    tags: 'S003-12',
  }, async () => {
    let runs = 0
    const dispatcher = startDispatcher(carillon.pool, [
      aHandler(() => {
        runs++
        return DONE
      }),
    ])
    await put({ trigger_depth: 8 })
    const id = await put({ trigger_depth: 9 })
    await emptied()
    await dispatcher.stop()
    expect(runs).toBe(1)
    const dropped = dispatcher.dispatched.find(({ row }) => row.id === id)!
    expect(dropped.completion).toMatchObject({
      action: 'drop',
      message: expect.stringContaining('chain of 9'),
    })
    expect(await letterOf(id)).toBeUndefined()
  })

  it('a missing target leaves a dead letter at once', { tags: 'S003-13' }, async () => {
    const dispatcher = startDispatcher(carillon.pool, [
      aHandler(() => ({ kind: 'missing', message: 'the script is gone' })),
    ])
    const id = await put()
    await emptied()
    await dispatcher.stop()
    expect(dispatcher.dispatched).toHaveLength(1)
    expect(await letterOf(id)).toMatchObject({ failure_reason: 'target_missing', final_attempt_count: 1 })
  })

  it('a row is tried again when its handler throws', async () => {
    let calls = 0
    startDispatcher(carillon.pool, [
      aHandler(() => {
        if (++calls === 1) throw new Error('oops')
        return DONE
      }),
    ])
    await put({ base_ms: 1 })
    await emptied()
    expect(calls).toBe(2)
  })

  it('a poison row that kills every dispatcher ends as a dead letter', async () => {
    const id = await put({ max_attempts: 2 })
    for (const owner of ['first', 'second']) {
      expect(await claim(owner)).toHaveLength(1)
      await letLeasesRunOut()
    }
    let calls = 0
    startDispatcher(carillon.pool, [
      aHandler(() => {
        calls++
        return DONE
      }),
    ])
    await emptied()
    expect(calls).toBe(0)
    expect(await letterOf(id)).toMatchObject({ failure_reason: 'worker_lost' })
  })

  it('rows of a kind without a handler here are left for a process that has one', async () => {
    const strange = await put({ source_kind: 'from_the_future' })
    const dispatcher = startDispatcher(carillon.pool, [aHandler(() => DONE)])
    await put()
    await waitFor(async () => dispatcher.dispatched.length === 1, { what: 'the known one' })
    expect(await left()).toEqual([strange])
    await carillon.pool.query('delete from outbox')
  })

  it('what a handler records is stored with the completion, or neither is', async () => {
    await carillon.pool.query('create table noted (id uuid primary key, created_at timestamptz)')
    let fails = true
    const handler = aHandler(() => DONE, {
      async record(tx, dispatches) {
        for (const { row } of dispatches) await tx.query('insert into noted (id) values ($1)', [row.id])
        if (fails) throw new Error('not yet')
      },
    })
    const dispatcher = startDispatcher(carillon.pool, [handler])
    const id = await put()
    await waitFor(async () => dispatcher.errors.length > 0, { what: 'the first completion to fail' })
    expect((await carillon.pool.query('select from noted')).rowCount).toBe(0)
    expect(await left()).toEqual([id])
    fails = false
    await emptied()
    expect((await carillon.pool.query('select id from noted')).rows).toEqual([{ id }])
    await carillon.pool.query('drop table noted')
  })

  it('a replayed letter is in the outbox again, with a fresh budget and depth 0, exactly once', {
    tags: 'S003-25',
  }, async () => {
    const dispatcher = startDispatcher(carillon.pool, [
      aHandler(() => ({ kind: 'permanent', message: 'no' })),
    ])
    const id = await put({ trigger_depth: 3, payload: '{"x": 1}', context: { a: 1 }, base_ms: 77 })
    await emptied()
    await dispatcher.stop()
    const letter = await letterOf(id)
    const answers = await Promise.all(
      [1, 2].map(() => carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const { rows } = await carillon.pool.query('select * from outbox')
    expect(rows).toMatchObject([
      {
        source_kind: 'test',
        op: 'happened',
        target_id: letter.target_id,
        payload: '{"x": 1}',
        context: { a: 1, redelivery_of: id },
        trigger_depth: 0,
        attempt_count: 0,
        base_ms: 77,
      },
    ])
    await carillon.pool.query('delete from outbox')
  })

  it('a row is deleted with its tenant', { tags: 'S003-27' }, async () => {
    const other = await carillon.createTenant('short-lived')
    await put({ tenant_id: other.id })
    await carillon.pool.query('delete from tenants where id = $1', [other.id])
    expect(await left()).toEqual([])
  })
})
