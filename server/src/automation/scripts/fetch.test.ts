import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { createAddressGuard } from '../../platform/outgoing/address-guard.ts'
import { createHttpClient, type HttpClient } from '../../platform/outgoing/http-client.ts'
import {
  type Observed,
  observeConnect,
  resolveFrom,
} from '../../platform/outgoing/observed-connect.fixture.ts'
import { readArguments } from './calls.ts'
import { createSampleFetch, createScriptFetch, type ScriptFetch } from './fetch.ts'

const still = new AbortController().signal
const clients: HttpClient[] = []
let receiver: HttpReceiver
beforeEach(async () => {
  receiver = await startHttpReceiver()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
  await receiver.stop()
})

/** As the host passes on what a script asks for. */
const ask = async (fetch: ScriptFetch, args: object, signal = still) =>
  fetch(readArguments('http.fetch', JSON.stringify(args)), signal)

function keep(client: HttpClient): HttpClient {
  clients.push(client)
  return client
}

/** Allowed to call this machine, as an operator can decide. */
function fetchHere(isAllowed = true): ScriptFetch {
  const http = keep(createHttpClient({ guard: createAddressGuard(['127.0.0.0/8']) }))
  return createScriptFetch({ http, isAllowed: async () => isAllowed })
}

function fetchWatched(names: Record<string, string[][]> = {}): { fetch: ScriptFetch; observed: Observed } {
  const observed = observeConnect()
  const http = keep(
    createHttpClient({
      guard: createAddressGuard(),
      connect: observed.connect,
      resolve: resolveFrom(names),
    }),
  )
  return { fetch: createScriptFetch({ http, isAllowed: async () => true }), observed }
}

describe('http.fetch', () => {
  it('sends what the script says and gives the answer', async () => {
    receiver.answerWith(() => ({ status: 201, headers: { 'X-Id': '7' }, body: '{"ok":true}' }))
    const answer = await ask(fetchHere(), {
      url: `${receiver.url}?a=b`,
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer t' },
      body: '{"n":1}',
    })
    expect(answer).toMatchObject({ status: 201, headers: { 'x-id': '7' }, text: '{"ok":true}' })
    expect(receiver.requests).toMatchObject([
      { method: 'PUT', headers: { 'content-type': 'application/json', authorization: 'Bearer t' } },
    ])
    expect(String(receiver.requests[0]!.body)).toBe('{"n":1}')
  })

  it('is refused unless the tenant allows it, with how to allow it, and opens no connection', async () => {
    const refused = ask(fetchHere(false), { url: receiver.url })
    await expect(refused).rejects.toThrow('PATCH /v1/tenant {"script_http_allowed": true}')
    expect(receiver.requests).toEqual([])
  })

  it('does not follow redirects', async () => {
    receiver.answerWith(() => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } }))
    const answer = await ask(fetchHere(), { url: receiver.url })
    expect(answer).toMatchObject({ status: 302, headers: { location: `${receiver.url}/elsewhere` } })
    expect(receiver.requests).toHaveLength(1)
  })

  it('refuses an answer of more than 256 KiB, as JSON and with its headers', async () => {
    receiver.answerWith(({ path }) => ({
      status: 200,
      body: path.endsWith('all')
        ? 'x'.repeat(261_000)
        : path.endsWith('much')
          ? 'x'.repeat(262_145)
          : '"'.repeat(200_000),
    }))
    const fetch = fetchHere()
    expect((await ask(fetch, { url: `${receiver.url}/all` })).text).toHaveLength(261_000)
    for (const path of ['too-much', 'quotes'])
      await expect(ask(fetch, { url: `${receiver.url}/${path}` })).rejects.toThrow('more than 262144 bytes')
  })

  it('refuses an answer whose body does not come to its end, though its status came', async () => {
    const body = 'all of it'
    receiver.answerWith(({ path }) => ({
      status: 200,
      headers: { 'content-length': path.endsWith('whole') ? String(body.length) : '100' },
      body,
    }))
    const fetch = fetchHere()
    expect(await ask(fetch, { url: `${receiver.url}/whole` })).toMatchObject({ text: body })
    const stalled = ask(fetch, { url: `${receiver.url}/part`, timeout_ms: 300 })
    await expect(stalled).rejects.toThrow('the answer broke off')
  })

  it('ends with the run', async () => {
    receiver.answerWith(() => 'hang')
    const run = new AbortController()
    const pending = ask(fetchHere(), { url: receiver.url }, run.signal)
    await expect.poll(() => receiver.requests.length).toBe(1)
    run.abort()
    await expect(pending).rejects.toThrow('the attempt was aborted')
  })

  it('ends when the time is over that the script allows it', async () => {
    receiver.answerWith(() => 'hang')
    const pending = ask(fetchHere(), { url: receiver.url, timeout_ms: 50 })
    await expect(pending).rejects.toThrow('no answer within 50 ms')
    expect(() => readArguments('http.fetch', '{"url":"https://a","timeout_ms":10001}')).toThrow('timeout_ms')
  })

  it('is called at most ten times in one run', async () => {
    const fetch = fetchHere()
    for (let n = 0; n < 10; n++) await ask(fetch, { url: receiver.url })
    await expect(ask(fetch, { url: receiver.url })).rejects.toThrow('more than 10 calls in one run')
    expect(receiver.requests).toHaveLength(10)
  })

  it.each([
    ['no address', { url: 'seven' }, 'url: Expected an address'],
    ['another protocol', { url: 'file:///etc/passwd' }, 'url: Expected an address'],
    ['a password in the address', { url: 'https://ada:secret@example.com' }, 'header authorization'],
    ['a body with a GET', { url: 'https://example.com', body: 'x' }, 'body: A GET has none.'],
    ['another host', { url: 'https://example.com', headers: { Host: 'internal' } }, '"host" cannot be set'],
    ['a length', { url: 'https://example.com', headers: { 'content-Length': '1' } }, 'cannot be set'],
    [
      'a framing',
      { url: 'https://example.com', headers: { 'Transfer-Encoding': 'chunked' } },
      'cannot be set',
    ],
    ['a connection', { url: 'https://example.com', headers: { connection: 'upgrade' } }, 'cannot be set'],
    ['a header for proxies', { url: 'https://example.com', headers: { 'proxy-foo': '1' } }, 'cannot be set'],
    [
      'a header of two lines',
      { url: 'https://example.com', headers: { a: 'b\r\nhost: c' } },
      'invalid request',
    ],
    ['an unknown method', { url: 'https://example.com', method: 'CONNECT' }, 'method: '],
    ['an unknown option', { url: 'https://example.com', redirect: 'follow' }, 'redirect: Unknown field.'],
  ])('refuses %s and opens no connection', async (_what, args, message) => {
    const { fetch, observed } = fetchWatched({ 'example.com': [['93.184.215.14']] })
    await expect((async () => ask(fetch, args))()).rejects.toThrow(message)
    expect(observed.dialled).toEqual([])
  })

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0/',
    'http://localhost/',
    'http://internal.example/',
    'http://rebound.example/',
  ])('opens no connection to a private address: %s', async url => {
    const { fetch, observed } = fetchWatched({
      localhost: [['127.0.0.1']],
      'internal.example': [['10.0.0.7']],
      'rebound.example': [['93.184.215.14', '10.0.0.7']],
    })
    await expect(ask(fetch, { url })).rejects.toThrow(/not .*a public address/)
    expect(observed.dialled).toEqual([])
  })

  it('would connect to a public address, so the guard is what kept the others away', async () => {
    const { fetch, observed } = fetchWatched({ 'example.com': [['93.184.215.14']] })
    await expect(ask(fetch, { url: 'https://example.com/' })).rejects.toThrow('not dialled')
    expect(observed.dialled).toEqual(['93.184.215.14'])
  })
})

describe('http.fetch in a test', () => {
  const fetch = createSampleFetch({
    'https://example.com/orders': { status: 200, headers: { 'x-total': '1' }, json: [{ id: 7 }] },
    'https://example.com/': { status: 503, headers: {}, body: 'down' },
  })

  it('answers what the test says, and only that', async () => {
    expect(await ask(fetch, { url: 'https://example.com/orders' })).toEqual({
      status: 200,
      headers: { 'x-total': '1' },
      text: '[{"id":7}]',
    })
    expect(await ask(fetch, { url: 'https://example.com' })).toMatchObject({ status: 503, text: 'down' })
    await expect(ask(fetch, { url: 'https://example.com/else' })).rejects.toThrow(
      'nothing is fetched in a test, and it has no answer for https://example.com/else',
    )
  })

  it('refuses what a run would refuse', async () => {
    await expect(ask(fetch, { url: 'ftp://example.com' })).rejects.toThrow('Expected an address')
  })
})
