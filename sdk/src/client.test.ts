import { expect, test } from 'vitest'
import { CALLS } from '../test/calls/calls.ts'
import { startReceiver } from '../test/receiver.ts'
import { createClient } from './client.ts'

const OTHER_ANSWERS: Record<string, unknown> = {
  'health.ready': { ready: true, report: { answer: 1 } },
  'scripts.types': '{"answer":1}',
}

test.each(CALLS)('%s sends the request the API expects', async (name, call, wire, body) => {
  const receiver = await startReceiver({ json: { answer: 1 } })
  const answer = await call(createClient({ url: receiver.url, apiKey: 'ck_test' }))

  expect(answer).toEqual(OTHER_ANSWERS[name] ?? { answer: 1 })
  expect(receiver.requests).toHaveLength(1)
  const [request] = receiver.requests
  expect(`${request?.method} ${request?.url}`).toBe(wire)
  expect(request?.body).toEqual(body)
  expect(request?.headers.authorization).toBe('Bearer ck_test')
  expect(request?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json')
})

test('every method of the client is among the calls', () => {
  const client = createClient({ url: 'http://127.0.0.1:1' })
  const methods = Object.entries(client).flatMap(([noun, group]) =>
    Object.keys(group).map(method => `${noun}.${method}`),
  )
  const iterators = methods.filter(method => /\.all/.test(method))
  expect(CALLS.map(([name]) => name).sort()).toEqual(methods.filter(m => !iterators.includes(m)).sort())
})

test('a path in the url is kept', async () => {
  const receiver = await startReceiver({ json: {} })
  await createClient({ url: `${receiver.url}/carillon/`, apiKey: 'k' }).tenant.get()
  expect(receiver.requests[0]?.url).toBe('/carillon/v1/tenant')
})

test('an answer without a body is undefined', async () => {
  const receiver = await startReceiver({ status: 204 })
  await expect(createClient({ url: receiver.url, apiKey: 'k' }).users.delete('ada')).resolves.toBeUndefined()
})

test.each(['', '.', '..'])(
  'the id %j, which would address something else, is refused before sending',
  async odd => {
    const receiver = await startReceiver({ json: {} })
    const client = createClient({ url: receiver.url, apiKey: 'k' })
    await expect(client.users.delete(odd)).rejects.toThrow(TypeError)
    await expect(client.records.allRoutes(odd).next()).rejects.toThrow(TypeError)
    expect(receiver.requests).toEqual([])
  },
)

test.each([
  [{ url: 'localhost:8420' }, 'http:// or https://'],
  [{ url: 'nonsense' }, 'http:// or https://'],
  [{ url: 'http://user:pw@host' }, 'must not contain a user'],
  [{ url: 'http://host', apiKey: 'two\nlines' }, 'printable characters'],
  [{ url: 'http://host', timeoutMs: 0 }, 'timeoutMs'],
  [{ url: 'http://host', retries: -1 }, 'retries'],
])('a client with %j is not created', (options, complaint) => {
  expect(() => createClient(options)).toThrow(complaint)
})
