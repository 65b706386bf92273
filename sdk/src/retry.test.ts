import { expect, test } from 'vitest'
import { type Reply, startReceiver } from '../test/receiver.ts'
import { type Client, createClient } from './client.ts'
import { CarillonConnectionError, CarillonError } from './errors.ts'
import { parseRetryAfter, waitBeforeRetry } from './retry.ts'

const intent = {
  notification_type: 'welcome',
  audience: { kind: 'tenant' as const },
  payload: {},
}
const accepted = { json: { notification_id: 'n1', status: 'accepted', duplicate: false } }

/** A client that records its waits instead of waiting; the highest jitter makes them round numbers. */
async function clientFor(...replies: Reply[]) {
  const receiver = await startReceiver(...replies)
  const waits: number[] = []
  const client = createClient({
    url: receiver.url,
    apiKey: 'k',
    random: () => 1,
    sleep: async ms => void waits.push(ms),
  })
  return { client, waits, requests: receiver.requests }
}

const FAILURES: [string, Reply][] = [
  ['a lost connection', 'hang up'],
  ...[408, 429, 502, 503, 504].map((status): [string, Reply] => [`status ${status}`, { status }]),
]
const SAFE_CALLS: [string, (client: Client) => Promise<unknown>][] = [
  ['GET', client => client.tenant.get()],
  ['PUT', client => client.users.put('ada', {})],
  ['DELETE', client => client.users.delete('ada')],
  ['intents.send', client => client.intents.send(intent)],
]
const UNSAFE_CALLS: [string, (client: Client) => Promise<unknown>][] = [
  ['intents.sendBatch', client => client.intents.sendBatch({ intents: [intent] })],
  ['records.cancel', client => client.records.cancel('r')],
  ['deadLetters.replay', client => client.deadLetters.replay('d')],
  ['deadLetters.replayAll', client => client.deadLetters.replayAll({ filter: {} })],
  ['apiKeys.create', client => client.apiKeys.create({ name: 'ci' })],
  ['tenants.create', client => client.tenants.create({ name: 'shop' })],
  ['tenant.update', client => client.tenant.update({})],
  ['health.live', client => client.health.live()],
]

test.each(SAFE_CALLS.flatMap(call => FAILURES.map(failure => [...call, ...failure] as const)))(
  '%s is repeated after %3$s',
  async (_, call, __, failure) => {
    const { client, waits, requests } = await clientFor(failure, failure, accepted)
    await expect(call(client)).resolves.toEqual(accepted.json)
    expect(requests).toHaveLength(3)
    expect(waits).toEqual([250, 500])
  },
)

test.each(UNSAFE_CALLS.flatMap(call => FAILURES.map(failure => [...call, ...failure] as const)))(
  '%s is never repeated after %3$s',
  async (_, call, __, failure) => {
    const { client, waits, requests } = await clientFor(failure)
    await expect(call(client)).rejects.toThrow()
    expect(requests).toHaveLength(1)
    expect(waits).toEqual([])
  },
)

test.each([400, 401, 403, 404, 409, 413, 500])('status %i is final', async status => {
  const { client, requests } = await clientFor({ status })
  await expect(client.tenant.get()).rejects.toMatchObject({ status })
  expect(requests).toHaveLength(1)
})

test('the last failure is thrown when the tries are used up', async () => {
  const { client, waits, requests } = await clientFor({ status: 503 })
  await expect(client.tenant.get()).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(4)
  expect(waits).toEqual([250, 500, 1000])
})

test('a repeated send carries the same generated key, and two sends carry different ones', async () => {
  const { client, requests } = await clientFor('hang up', accepted)
  await client.intents.send(intent)
  await client.intents.send(intent)
  const keys = requests.map(request => (request.body as { idempotency_key: string }).idempotency_key)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})

test.each([
  ['the option', { idempotencyKey: 'option' }, { idempotency_key: 'intent' }, 'option'],
  ['the intent', {}, { idempotency_key: 'intent' }, 'intent'],
  ['the option, with any characters', { idempotencyKey: 'Bestellung №7 🔔' }, {}, 'Bestellung №7 🔔'],
])('a key given by %s is used', async (_, options, fields, key) => {
  const { client, requests } = await clientFor(accepted)
  await client.intents.send({ ...intent, ...fields }, { ...options, traceparent: '00-aa-bb-01' })
  expect(requests[0]?.body).toEqual({ ...intent, idempotency_key: key })
  expect(requests[0]?.headers.traceparent).toBe('00-aa-bb-01')
})

test('a deletion whose answer was lost has succeeded when nothing is left to delete', async () => {
  const { client } = await clientFor('hang up', { status: 404 })
  await expect(client.users.delete('ada')).resolves.toBeUndefined()
  await expect(client.users.delete('bob')).rejects.toMatchObject({ status: 404 })
})

test('the wait is at least what the server asks for, unless that is too long to wait', async () => {
  const busy = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds } })
  const { client, waits } = await clientFor(busy('7'), busy('0'), busy('600'))
  await expect(client.tenant.get()).rejects.toMatchObject({ status: 429, retryAfterMs: 600_000 })
  expect(waits).toEqual([7000, 500])
})

test('aborting also ends the wait between two tries', async () => {
  const receiver = await startReceiver({ status: 503, headers: { 'retry-after': '50' } })
  const controller = new AbortController()
  const call = createClient({ url: receiver.url, apiKey: 'k' }).tenant.get({ signal: controller.signal })
  await expect.poll(() => receiver.requests.length).toBe(1)
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})

test.each([
  [1, 0, 125],
  [1, 1, 250],
  [2, 0, 250],
  [4, 0.5, 1500],
  [9, 1, 8000],
])('before try %i + 1 with random %f the wait is %i ms', (attempt, random, expected) => {
  const error = new CarillonConnectionError('http://host', 'ECONNREFUSED', '', undefined)
  expect(waitBeforeRetry(error, attempt, () => random)).toBe(expected)
})

test('an error that is neither a refusal nor a connection error is not repeated', () => {
  expect(waitBeforeRetry(new TypeError('bug'), 1, Math.random)).toBeUndefined()
  const conflict = { code: 'already_exists', title: '', detail: '', status: 409 } as const
  expect(waitBeforeRetry(new CarillonError(conflict), 1, Math.random)).toBeUndefined()
})

test.each([
  [null, undefined],
  ['', undefined],
  ['3', 3000],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['Thu, 01 Jan 1970 00:00:05 GMT', 4000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
])('Retry-After %j means %j ms', (header, expected) => {
  expect(parseRetryAfter(header, 1000)).toBe(expected)
})
