import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, type RequestOptions, useCarillon } from '../../../test/carillon.ts'
import { aHandler, startDispatcher } from '../../../test/dispatching.ts'
import { addTrigger, firedRows } from '../../../test/triggers.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const send = (queue: string, body: object) => carillon.request('POST', `/v1/queues/${queue}`, { body })
const listen = (queue_glob: string, options = {}) =>
  addTrigger(carillon.pool, carillon.tenantId, { queue_glob }, options)

beforeEach(async () => {
  await carillon.pool.query('delete from outbox')
  await carillon.pool.query('delete from triggers')
})

/** A handler that takes everything, and the messages that it got. */
function recording() {
  const arrived: unknown[] = []
  const handler = aHandler(
    row => {
      arrived.push(JSON.parse(row.payload).message)
      return { kind: 'done' }
    },
    { sourceKind: 'queue' },
  )
  return { handler, arrived }
}

describe('a message', () => {
  it('goes to every trigger that listens, under its policy, and wakes the dispatcher', {
    tags: 'S003-7',
  }, async () => {
    const triggers = [await listen('orders'), await listen('ord*'), await listen('*')]
    await listen('invoices')
    await listen('orders', { is_enabled: false })
    const due = carillon.signals.due
    const answer = await send('orders', { message: { order: 1842 } })
    expect([answer.status, answer.body]).toEqual([202, { matched: 3 }])
    expect(carillon.signals.due).toBe(due + 1)
    const fired = await firedRows(carillon.pool)
    expect(fired.map(row => row.target_id).sort()).toEqual(triggers.sort())
    for (const row of fired)
      expect(row).toMatchObject({
        source_kind: 'queue',
        op: 'message',
        payload: '{"queue":"orders","message":{"order":1842}}',
        ordering_key: null,
        trigger_depth: 0,
        max_attempts: 7,
        backoff: 'linear',
        base_ms: 5,
        delay_seconds: 0,
        context: { origin: expect.stringMatching(/^api_key:/) },
      })
  })

  it('to which nobody listens is not kept, and says so', { tags: 'S003-7' }, async () => {
    await listen('others')
    const before = await carillon.rowCounts()
    const due = carillon.signals.due
    const answer = await send('orders', { message: 1 })
    expect([answer.status, answer.body]).toEqual([202, { matched: 0 }])
    expect(await carillon.rowCounts()).toEqual(before)
    expect(carillon.signals.due).toBe(due)
  })

  it('reaches no trigger of another tenant', { tags: 'S004-7' }, async () => {
    await listen('*')
    const { key } = await carillon.createTenant('neighbour')
    const answer = await carillon.request('POST', '/v1/queues/orders', { key, body: { message: 1 } })
    expect(answer.body).toEqual({ matched: 0 })
  })

  it('is passed on byte for byte, whatever JSON it is', async () => {
    await listen('*')
    const texts = ['null', '12345678901234567890', '"é \\u00e9"', '{ "b":1 , "a":1.0}', '[]']
    for (const text of texts)
      await carillon.request('POST', '/v1/queues/a:b', { rawBody: `{"message" : ${text} }` })
    const payloads = (await firedRows(carillon.pool)).map(row => row.payload)
    expect(payloads).toEqual(texts.map(text => `{"queue":"a:b","message":${text}}`))
  })

  it('with a delay is due later, up to seven days', async () => {
    await listen('*')
    await send('orders', { message: 1, delay_seconds: 604_800, ordering_key: 'order 7' })
    expect(await firedRows(carillon.pool)).toMatchObject([
      { delay_seconds: 604_800, ordering_key: 'order 7' },
    ])
  })

  it('with a delay and an ordering key waits for its own time, also when the one before it is done', async () => {
    await listen('*')
    const ordering_key = 'order 7'
    await send('orders', { message: 1, ordering_key })
    await send('orders', { message: 2, ordering_key, delay_seconds: 3600 })
    await send('orders', { message: 3, ordering_key })
    const { handler, arrived } = recording()
    startDispatcher(carillon.pool, [handler])
    await waitFor(async () => (await firedRows(carillon.pool)).length === 2, { what: 'the first to be done' })
    const { rows } = await carillon.pool.query<{ is_later: boolean }>(
      "select next_attempt_at > now() + interval '50 minutes' as is_later from outbox order by seq limit 1",
    )
    expect([arrived, rows]).toEqual([[1], [{ is_later: true }]])
    await carillon.pool.query(
      `update outbox set next_attempt_at = now(), context = context || '{"not_before": "2026-01-01T00:00:00Z"}'
       where payload like '%2}'`,
    )
    await waitFor(async () => (await firedRows(carillon.pool)).length === 0, { what: 'the others' })
    expect(arrived).toEqual([1, 2, 3])
  })

  it('with a delay waits for its own time, also when its tenant is resumed', async () => {
    const { id, key } = await carillon.createTenant('resumed')
    await addTrigger(carillon.pool, id, { queue_glob: '*' })
    await carillon.request('POST', '/v1/queues/q', { key, body: { message: 1, delay_seconds: 3600 } })
    for (const action of ['suspend', 'resume'])
      await carillon.request('POST', `/v1/tenants/${id}/${action}`, {
        body: action === 'suspend' ? {} : undefined,
      })
    expect(await firedRows(carillon.pool)).toMatchObject([{ delay_seconds: 3600 }])
  })

  it('with an ordering key reaches each trigger after those before it', async () => {
    const triggers = [await listen('orders'), await listen('*')]
    for (let n = 1; n <= 20; n++) await send('orders', { message: n, ordering_key: `k${n % 2}` })
    const arrived: { target: string; key: string | null; message: number }[] = []
    const failed = new Set<string>()
    const handler = aHandler(
      row => {
        const { message } = JSON.parse(row.payload)
        // each of these fails once, and those behind it have to wait
        if (message % 5 === 0 && !failed.has(row.id)) {
          failed.add(row.id)
          return { kind: 'retry', message: 'not yet' }
        }
        arrived.push({ target: row.target_id, key: row.ordering_key, message })
        return { kind: 'done' }
      },
      { sourceKind: 'queue' },
    )
    startDispatcher(carillon.pool, [handler])
    startDispatcher(carillon.pool, [handler])
    await waitFor(async () => (await firedRows(carillon.pool)).length === 0, {
      what: 'all messages to arrive',
    })
    for (const target of triggers)
      for (const key of ['k0', 'k1']) {
        const messages = arrived.filter(each => each.target === target && each.key === key)
        expect(messages.map(each => each.message)).toEqual(
          Array.from({ length: 10 }, (_, i) => 2 * i + (key === 'k0' ? 2 : 1)),
        )
      }
    expect(failed.size).toBe(8)
  })
})

describe('sending a message', () => {
  const nested = (depth: number) => ({ rawBody: `{"message":${'['.repeat(depth)}${']'.repeat(depth)}}` })
  const big = (bytes: number) => ({ rawBody: `{"message":"${'x'.repeat(bytes - 2)}"}` })

  it.each<[name: string, queue: string, options: RequestOptions, code: string, field?: string]>([
    ['to a queue with a blank', 'a%20b', { body: { message: 1 } }, 'invalid_request', 'name'],
    ['to a queue with a star', '*', { body: { message: 1 } }, 'invalid_request', 'name'],
    ['to a queue with 101 characters', 'q'.repeat(101), { body: { message: 1 } }, 'invalid_request', 'name'],
    ['to a queue with a NUL', '%00', { body: { message: 1 } }, 'invalid_request', 'name'],
    ['with no body', 'q', {}, 'invalid_request', 'message'],
    ['with no message', 'q', { body: { delay_seconds: 1 } }, 'invalid_request', 'message'],
    ['with another field', 'q', { body: { message: 1, delay: 1 } }, 'invalid_request', 'delay'],
    [
      'with a delay below 0',
      'q',
      { body: { message: 1, delay_seconds: -1 } },
      'invalid_request',
      'delay_seconds',
    ],
    [
      'with too long a delay',
      'q',
      { body: { message: 1, delay_seconds: 604_801 } },
      'invalid_request',
      'delay_seconds',
    ],
    [
      'with no ordering key',
      'q',
      { body: { message: 1, ordering_key: '' } },
      'invalid_request',
      'ordering_key',
    ],
    [
      'with too long an ordering key',
      'q',
      { body: { message: 1, ordering_key: 'k'.repeat(301) } },
      'invalid_request',
      'ordering_key',
    ],
    ['with 101 levels', 'q', nested(101), 'invalid_request', 'message'],
    ['with 5,000 levels', 'q', nested(5000), 'invalid_json'],
    ['with one byte too many', 'q', big(262_145), 'payload_too_large', 'message'],
    ['with the escape of NUL', 'q', { rawBody: '{"message":"\\u0000"}' }, 'unstorable_text'],
    ['with half a character', 'q', { rawBody: '{"message":"\\ud800"}' }, 'unstorable_text'],
    [
      'with a NUL in its ordering key',
      'q',
      { rawBody: '{"message":1,"ordering_key":"\\u0000"}' },
      'unstorable_text',
    ],
  ])('%s is refused', async (_name, queue, options, code, field) => {
    await listen('*')
    const before = await carillon.rowCounts()
    const problem = problemOf(await carillon.request('POST', `/v1/queues/${queue}`, options))
    expect(problem).toMatchObject({ code, status: code === 'payload_too_large' ? 413 : 400 })
    if (field !== undefined) expect(problem.errors?.map(error => error.field)).toContain(field)
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('with exactly as much as fits is fine', async () => {
    await listen('*')
    for (const options of [big(262_144), nested(100)])
      expect((await carillon.request('POST', '/v1/queues/q', options)).body).toEqual({ matched: 1 })
    const longest = { message: 1, ordering_key: '😀'.repeat(150) }
    expect((await send('q'.repeat(100), longest)).status).toBe(202)
  })

  it('is refused to a tenant whose storage is used up', async () => {
    await carillon.pool.query('update tenants set quota_storage_mb = 1, storage_bytes = 1000001')
    expect((await send('q', { message: 1 })).body.code).toBe('quota_exceeded')
    await carillon.pool.query('update tenants set quota_storage_mb = null, storage_bytes = null')
  })
})
