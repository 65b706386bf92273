import { beforeEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { emit, emptyLog, orderAll } from '../../../test/events.ts'
import { openTransaction } from '../../../test/open-transaction.ts'

const carillon = useCarillon()
const post = (body: object, headers: Record<string, string> = {}, key?: string) =>
  carillon.request('POST', '/v1/events', { body, headers, ...(key !== undefined && { key }) })
const batch = (events: unknown[], headers: Record<string, string> = {}) =>
  carillon.request('POST', '/v1/events/batch', { body: { events }, headers })
const kinds = async (query: string) => (await carillon.readAll(`/v1/events${query}`)).map(event => event.kind)

beforeEach(() => emptyLog(carillon.pool))

it('an event is stored with its payload byte for byte', { tags: 'S001-15' }, async () => {
  const body = `{"kind": "issue_opened", "actor_id": "ada", "topic": "shop", "source_kind": "issue", "source_id": "7",
      "thread": {"kind": "issue", "id": "7", "title": "Cart"}, "relations": {"mention": ["bob"]},
      "payload": {"big": 12345678901234567890, "é": 1.0}}`
  const { status, body: answer } = await carillon.request('POST', '/v1/events', { rawBody: body })
  expect([status, answer]).toEqual([202, { event_id: expect.any(String), duplicate: false }])
  const shown = (await carillon.request('GET', `/v1/events/${answer.event_id}`)).body
  expect(shown).toMatchObject({
    ...{ event_id: answer.event_id, id: null, kind: 'issue_opened', actor_id: 'ada', topic: 'shop' },
    thread: { kind: 'issue', id: '7', title: 'Cart', url: null, author_id: null },
    ...{ source_kind: 'issue', source_id: '7', is_public: true, relations: { mention: ['bob'] } },
    payload_json: '{"big": 12345678901234567890, "é": 1.0}',
  })
  await orderAll(carillon.pool)
  expect((await carillon.request('GET', `/v1/events/${answer.event_id}`)).body.id).toBeGreaterThan(0)
})

it('an event with the same key and content is a duplicate, and with other content a conflict', {
  tags: 'S001-15',
}, async () => {
  const event = { kind: 'paid', idempotency_key: 'order 7', payload: { a: 1, b: 2 } }
  const first = await post(event)
  expect([first.status, first.body.duplicate]).toEqual([202, false])
  const again = await post({ ...event, payload: { b: 2, a: 1 }, is_public: true })
  expect([again.status, again.body]).toEqual([200, { event_id: first.body.event_id, duplicate: true }])
  const byHeader = await post({ kind: 'paid', payload: { a: 1, b: 2 } }, { 'idempotency-key': 'order 7' })
  expect(byHeader.body).toEqual(again.body)
  const other = await post({ ...event, payload: { a: 2 } })
  expect(problemOf(other)).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  expect(other.body.errors[0].field).toBe('idempotency_key')
  expect((await post({ ...event, producer: 'other', payload: {} })).status).toBe(202)
  expect(await kinds('')).toHaveLength(2)
})

it('several requests with one key at once make one event', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post({ kind: 'once', idempotency_key: 'at once' })),
  )
  expect(new Set(answers.map(answer => answer.body.event_id)).size).toBe(1)
  expect(answers.filter(answer => answer.status === 202)).toHaveLength(1)
})

it('an event over HTTP does not wait for a key that another transaction has not committed', async () => {
  const holder = await openTransaction(carillon.pool)
  await emit(holder.client, { kind: 'held', idempotency_key: 'held', producer: 'api' })
  const [held, free] = await Promise.all([
    post({ kind: 'held', idempotency_key: 'held' }),
    post({ kind: 'free', idempotency_key: 'free' }),
  ])
  expect([held.status, free.status]).toEqual([503, 202])
  await holder.commit()
  expect((await post({ kind: 'held', idempotency_key: 'held' })).status).toBe(200)
})

it('an event is sent as a producer that the key may send as', async () => {
  const { key } = await carillon.createKey({ name: 'k', scopes: ['events:write'], producers: ['shop'] })
  const answer = await post({ kind: 'x', producer: 'billing' }, {}, key)
  expect(problemOf(answer)).toMatchObject({ code: 'invalid_producer' })
  expect((await post({ kind: 'x' }, {}, key)).status).toBe(202)
  expect((await carillon.readAll('/v1/events'))[0].producer).toBe('shop')
})

it('a suspended tenant’s events are refused unless they were accepted before', async () => {
  await post({ kind: 'x', idempotency_key: 'before' })
  // The key itself is refused over HTTP, so the application asks by SQL.
  await carillon.suspend()
  await expect(emit(carillon.pool)).rejects.toThrow('tenant_suspended')
  expect(await emit(carillon.pool, { kind: 'x', idempotency_key: 'before', producer: 'api' })).toBeTruthy()
  await carillon.resume()
})

it('a batch of events answers each of them and keeps their order in the log', async () => {
  const events = [
    { kind: 'first', idempotency_key: 'z' },
    { kind: '' },
    { kind: 'second', idempotency_key: 'a' },
    { kind: 'second', idempotency_key: 'a' },
  ]
  const { status, body } = await batch(events)
  expect([status, body.accepted, body.duplicates, body.failed]).toEqual([200, 2, 1, 1])
  expect(body.items[1]).toMatchObject({ status: 'failed', code: 'invalid_request' })
  expect(body.items[3]).toEqual({ ...body.items[2], duplicate: true })
  await orderAll(carillon.pool)
  const placed = (await carillon.readAll('/v1/events')).sort((a, b) => a.id - b.id)
  expect(placed.map(({ id, kind }) => [id, kind])).toEqual([
    [1, 'first'],
    [2, 'second'],
  ])
})

it('a batch of events takes at most 1000, and no key for all of them', async () => {
  const many = await batch(Array.from({ length: 1001 }, () => ({ kind: 'x' })))
  expect(problemOf(many)).toMatchObject({ code: 'too_many_items' })
  const shared = await batch([{ kind: 'x' }], { 'idempotency-key': 'k' })
  expect(shared.body.errors[0].field).toBe('idempotency_key')
  const none = await carillon.request('POST', '/v1/events/batch', { body: { events: [] } })
  expect(none.body.errors[0].field).toBe('events')
  expect(await kinds('')).toEqual([])
})

it('events are listed newest first, by kind, topic, thread and actor', async () => {
  const thread = { kind: 'issue', id: '7' }
  await batch([
    { kind: 'a', topic: 't', actor_id: 'ada' },
    { kind: 'b', topic: 't', thread },
    { kind: 'c', thread, actor_id: 'ada' },
    { kind: 'a', thread: { kind: 'pr', id: '7' } },
  ])
  expect(await kinds('')).toEqual(['a', 'c', 'b', 'a'])
  expect(await kinds('?kind=a')).toEqual(['a', 'a'])
  expect(await kinds('?topic=t')).toEqual(['b', 'a'])
  expect(await kinds('?thread_kind=issue&thread_id=7')).toEqual(['c', 'b'])
  expect(await kinds('?actor_id=ada&topic=t')).toEqual(['a'])
  const half = await carillon.request('GET', '/v1/events?thread_id=7')
  expect(half.body.errors[0].field).toBe('thread_id')
})

it('an event that does not exist is not found', async () => {
  const answer = await carillon.request('GET', '/v1/events/01900000-0000-7000-8000-000000000000')
  expect(problemOf(answer)).toMatchObject({ status: 404 })
})
