import { expect, test } from 'vitest'
import { freePort, type Reply, startReceiver } from '../test/receiver.ts'
import { createClient } from './client.ts'
import { CarillonConnectionError, CarillonError, connectionError } from './errors.ts'

const quick = { apiKey: 'ck_secret', retries: 0 }

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    answer => expect.fail(`expected a failure, got ${JSON.stringify(answer)}`),
    error => error,
  )
}

test('a problem document becomes an error with all its fields', async () => {
  const receiver = await startReceiver({
    status: 400,
    json: {
      type: 'https://carillon.dev/errors/invalid_request',
      code: 'invalid_request',
      title: 'The request does not have the expected shape',
      status: 400,
      detail: 'audience: Required',
      errors: [{ field: 'audience', message: 'Required' }],
      request_id: 'req-1',
    },
  })
  const error = await failureOf(createClient({ url: receiver.url, ...quick }).tenant.get())
  expect(error).toBeInstanceOf(CarillonError)
  expect(error).toMatchObject({
    name: 'CarillonError',
    code: 'invalid_request',
    status: 400,
    title: 'The request does not have the expected shape',
    detail: 'audience: Required',
    errors: [{ field: 'audience', message: 'Required' }],
    requestId: 'req-1',
    message: 'The request does not have the expected shape: audience: Required',
  })
})

test.each<[string, Exclude<Reply, string>, number, string]>([
  [
    'an error page of a proxy',
    { status: 502, text: '<h1>Bad Gateway</h1>' },
    502,
    'status 502 with text/html',
  ],
  ['a page where JSON was expected', { status: 200, text: '<h1>Hello</h1>' }, 200, 'is the url right?'],
  ['JSON of another server', { status: 404, json: { error: 'nope' } }, 404, 'not an answer from Carillon'],
  [
    'a redirect',
    { status: 301, headers: { location: 'https://carillon.example/v1/tenant' } },
    301,
    'a redirect to https://carillon.example/v1/tenant',
  ],
])('%s is an unexpected answer', async (_, reply, status, detail) => {
  const receiver = await startReceiver({ ...reply, headers: { 'x-request-id': 'r2', ...reply.headers } })
  const error = await failureOf(createClient({ url: receiver.url, ...quick }).tenant.get())
  expect(error).toMatchObject({ code: 'unexpected_answer', status, errors: [], requestId: 'r2' })
  expect((error as CarillonError).detail).toContain(detail)
  expect(receiver.requests).toHaveLength(1)
})

test('a refused connection says where and why, and not the key', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const error = await failureOf(createClient({ url, ...quick }).tenant.get())
  expect(error).toBeInstanceOf(CarillonConnectionError)
  expect(error).toMatchObject({ code: 'ECONNREFUSED', url })
  expect((error as Error).message).toContain(`Cannot reach Carillon at ${url}: connect ECONNREFUSED`)
  expect(JSON.stringify(error) + String(error)).not.toContain('ck_secret')
})

test('a connection that ends without an answer is a connection error', async () => {
  const receiver = await startReceiver('hang up')
  const error = await failureOf(createClient({ url: receiver.url, ...quick }).tenant.get())
  expect(error).toMatchObject({ name: 'CarillonConnectionError', url: receiver.url })
  expect((error as CarillonConnectionError).code).toMatch(/ECONNRESET|UND_ERR_SOCKET/)
})

test('an answer that takes too long is a connection error with the code timeout', async () => {
  const receiver = await startReceiver('silence')
  const error = await failureOf(createClient({ url: receiver.url, ...quick, timeoutMs: 20 }).tenant.get())
  expect(error).toMatchObject({ name: 'CarillonConnectionError', code: 'timeout' })
  expect((error as Error).message).toContain('no answer within 20 ms')
})

test('a caller that aborts gets its own reason back, not a connection error', async () => {
  const receiver = await startReceiver('silence')
  const client = createClient({ url: receiver.url, apiKey: 'k' })
  const reason = new Error('the user left')
  expect(await failureOf(client.tenant.get({ signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(receiver.requests).toHaveLength(0)

  const controller = new AbortController()
  const pending = failureOf(client.tenant.get({ signal: controller.signal }))
  await expect.poll(() => receiver.requests.length).toBe(1)
  controller.abort(reason)
  expect(await pending).toBe(reason)
})

test('a name with several addresses is explained by the first failure', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:8420'), { code: 'ECONNREFUSED' })
  const thrown = new TypeError('fetch failed', { cause: new AggregateError([refused, refused]) })
  expect(connectionError('http://localhost:8420', thrown)).toMatchObject({
    code: 'ECONNREFUSED',
    message: 'Cannot reach Carillon at http://localhost:8420: connect ECONNREFUSED ::1:8420',
  })
})

test('the health check needs no key, and does not throw when the server is not ready', async () => {
  const receiver = await startReceiver(
    { status: 503, json: { database: 'down' } },
    { json: {} },
    { status: 404 },
  )
  const client = createClient({ url: receiver.url })
  expect(await client.health.ready()).toEqual({ ready: false, report: { database: 'down' } })
  expect(await client.health.ready()).toEqual({ ready: true, report: {} })
  await expect(client.health.ready()).rejects.toMatchObject({ code: 'unexpected_answer', status: 404 })
  expect(receiver.requests[0]?.headers.authorization).toBeUndefined()
})
