import { afterEach, expect, test, vi } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { createClient } from './client.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

async function startWithEnvironment() {
  const receiver = await startReceiver({ json: {} })
  vi.stubEnv('CARILLON_URL', receiver.url)
  vi.stubEnv('CARILLON_API_KEY', 'ck_environment')
  return receiver
}

test('a client without options takes its address and key from the environment', async () => {
  const { requests } = await startWithEnvironment()
  await createClient().tenant.get()
  expect(requests[0]?.headers.authorization).toBe('Bearer ck_environment')
})

test('an export takes them too', async () => {
  const { requests } = await startWithEnvironment()
  await createClient().auditLogs.export().next()
  expect(requests[0]?.headers.authorization).toBe('Bearer ck_environment')
})

test('options win over the environment, each for itself', async () => {
  const named = await startWithEnvironment()
  await createClient({ apiKey: 'ck_option' }).tenant.get()
  expect(named.requests[0]?.headers.authorization).toBe('Bearer ck_option')
  const other = await startReceiver({ json: {} })
  await createClient({ url: other.url }).tenant.get()
  expect(other.requests[0]?.headers.authorization).toBe('Bearer ck_environment')
  expect(named.requests).toHaveLength(1)
})

test.each([undefined, ''])('without a url and with CARILLON_URL %j no client is made', given => {
  vi.stubEnv('CARILLON_URL', given)
  expect(() => createClient()).toThrow('There is no url: pass one, or set CARILLON_URL.')
})

test('a wrong CARILLON_URL is refused like a wrong url', () => {
  vi.stubEnv('CARILLON_URL', 'localhost:8420')
  expect(() => createClient()).toThrow('http:// or https://')
})

test.each([undefined, ''])('without a key and with CARILLON_API_KEY %j nothing is sent', async given => {
  vi.stubEnv('CARILLON_API_KEY', given)
  const { url, requests } = await startReceiver({ json: {} })
  const client = createClient({ url })
  const refusal = {
    name: 'CarillonError',
    code: 'unauthenticated',
    status: 401,
    message: 'A valid API key is needed: There is no key: pass apiKey, or set CARILLON_API_KEY.',
  }
  await expect(client.tenant.get()).rejects.toMatchObject(refusal)
  await expect(client.auditLogs.export().next()).rejects.toMatchObject(refusal)
  expect(requests).toEqual([])
  await client.health.live()
  expect(requests).toHaveLength(1)
})

test.each([
  ['a page', { document: {} }],
  ['a page whose bundler brings a process', { document: {}, process: fakeProcess({}) }],
  ['a worker whose bundler brings a process', { process: fakeProcess({}) }],
  ['a page with the powers of Node', { document: {}, process: fakeProcess({ node: '20.19.0' }) }],
])('in %s nothing is read', async (_where, globals) => {
  const { url, requests } = await startWithEnvironment()
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  expect(() => createClient()).toThrow('There is no url')
  const answer = createClient({ url }).tenant.get()
  // The test runner needs its own process as soon as it has to wait for something.
  vi.unstubAllGlobals()
  await expect(answer).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(requests).toEqual([])
})

function fakeProcess(versions: { node?: string }) {
  return { versions, env: { CARILLON_URL: 'http://127.0.0.1:1', CARILLON_API_KEY: 'ck_bundled' } }
}
