import { describe, expect, it, test } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { createInboxClient } from './inbox-client.ts'

const EXPIRED = {
  status: 401,
  json: { code: 'unauthenticated', title: 'No', status: 401, detail: 'The user token is expired.' },
}
const sse = (text: string) => ({ text, headers: { 'content-type': 'text/event-stream' } })
const event = (version: string, unread: number) =>
  `id: ${version}\nevent: inbox\ndata: ${JSON.stringify({ version, unread, reset: false, changed: [] })}\n\n`
const shownIn = (requests: { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers.authorization)
const noWait = { sleep: async () => {} }

describe('an inbox client', () => {
  it('calls with the token, for the person that it is of', async () => {
    const { url, requests } = await startReceiver({ json: { unread: 3, version: '1:1:' } })
    const client = createInboxClient({ url, token: 'cut_a' })
    expect(await client.unreadCount()).toEqual({ unread: 3, version: '1:1:' })
    await client.list({ q: 'is:unread', limit: 5 })
    await client.act('one', 'read')
    await client.subscribe({ kind: 'issue', id: '7' }, false)
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/inbox/unread-count',
      'GET /v1/inbox?q=is%3Aunread&limit=5',
      'POST /v1/inbox/one/read',
      'PUT /v1/threads/issue/7/subscription',
    ])
    expect(new Set(shownIn(requests))).toEqual(new Set(['Bearer cut_a']))
  })

  it('gets a new token when the one before has ended, once for all calls that wait for it', async () => {
    const { url, requests } = await startReceiver(EXPIRED, EXPIRED, { json: {} })
    let asked = 0
    const refreshToken = async () => `cut_${++asked}`
    const client = createInboxClient({ url, token: 'cut_0', refreshToken })
    await Promise.all([client.unreadCount(), client.unreadCount()])
    expect(asked).toBe(1)
    await client.unreadCount()
    expect(shownIn(requests).slice(2)).toEqual(['Bearer cut_1', 'Bearer cut_1', 'Bearer cut_1'])
  })

  it('asks for its first token if it has none', async () => {
    const { url, requests } = await startReceiver({ json: {} })
    await createInboxClient({ url, refreshToken: async () => 'cut_first' }).unreadCount()
    expect(shownIn(requests)).toEqual(['Bearer cut_first'])
  })

  it('gives up when the new token is refused too, and without a way to get one', async () => {
    const { url, requests } = await startReceiver(EXPIRED)
    const refused = { name: 'CarillonError', status: 401 }
    await expect(createInboxClient({ url, token: 'a' }).unreadCount()).rejects.toMatchObject(refused)
    expect(requests).toHaveLength(1)
    const client = createInboxClient({ url, token: 'a', refreshToken: async () => 'b' })
    await expect(client.unreadCount()).rejects.toMatchObject(refused)
    expect(requests).toHaveLength(3)
    expect(() => createInboxClient({ url })).toThrow('Pass a token')
  })
})

it('does not do for the next person what was asked for the one before', async () => {
  const { url, requests } = await startReceiver(EXPIRED, { json: {} })
  const tokenOf = (user_id: string) =>
    `cut_${Buffer.from(JSON.stringify({ tenant_id: 't', user_id })).toString('base64url')}.s`
  const refreshToken = async () => tokenOf('bob')
  const client = createInboxClient({ url, token: tokenOf('ada'), refreshToken, ...noWait })
  await expect(client.readAll()).rejects.toMatchObject({ name: 'CarillonPersonError' })
  expect([requests.length, client.person()]).toEqual([1, 't/bob'])
})

it('waits for a token no longer than for an answer, and then asks for another', async () => {
  const { url, requests } = await startReceiver({ json: {} })
  let asked = 0
  const refreshToken = () => (++asked === 1 ? new Promise<string>(() => {}) : Promise.resolve('cut_b'))
  const client = createInboxClient({ url, refreshToken, timeoutMs: 50, ...noWait })
  await client.unreadCount()
  expect([asked, shownIn(requests)]).toEqual([2, ['Bearer cut_b']])
})

it.each([undefined, '', 'a\nb', '€', { token: 'cut_a' }])('takes %j for no token', async given => {
  const { url, requests } = await startReceiver({ json: {} })
  const client = createInboxClient({ url, refreshToken: async () => given as string, ...noWait })
  await expect(client.unreadCount()).rejects.toMatchObject({ name: 'CarillonTokenError' })
  expect(requests).toEqual([])
})

it('says so when nobody gives it a token, and does not ask again and again', async () => {
  const { url, requests } = await startReceiver(EXPIRED)
  let asked = 0
  const refreshToken = async () => {
    asked++
    throw new Error('signed out')
  }
  const client = createInboxClient({ url, token: 'a', refreshToken, ...noWait })
  await expect(client.unreadCount()).rejects.toMatchObject({ name: 'CarillonTokenError' })
  expect([asked, requests.length]).toEqual([1, 1])
})

it('goes on asking while the backend that gives tokens cannot be reached', async () => {
  const { url } = await startReceiver({ json: {} })
  let asked = 0
  const refreshToken = async () => {
    if (++asked < 3) throw new TypeError('Failed to fetch')
    return 'cut_b'
  }
  await createInboxClient({ url, refreshToken, ...noWait }).unreadCount()
  expect(asked).toBe(3)
})

it.each([
  [`cut_${Buffer.from('{"tenant_id":"t","user_id":"Ünsal"}').toString('base64url')}.sig`, 't/Ünsal'],
  ['cut_bm9uc2Vuc2U.sig', undefined],
  ['something else', undefined],
])('knows whose the token %s is', async (token, person) => {
  expect(createInboxClient({ url: 'http://localhost', token }).person()).toBe(person)
})

describe('a stream', () => {
  async function take(client: ReturnType<typeof createInboxClient>, count: number, since?: string) {
    const ending = new AbortController()
    const events = []
    for await (const each of client.stream({ signal: ending.signal, ...(since && { since }) })) {
      events.push(each.unread)
      if (events.length === count) ending.abort()
    }
    return events
  }

  it('comes back when it ends or breaks, and goes on where it was', async () => {
    const { url, requests } = await startReceiver(
      sse(
        `retry: 1\n:${' '.repeat(2048)}\n\n${event('1:1:', 1)}${event('1:2:', 2)}event: closing\ndata: {}\n\n`,
      ),
      'hang up',
      { status: 503, json: { code: 'unavailable', title: 'No', status: 503, detail: '' } },
      sse(event('1:3:', 3)),
    )
    const client = createInboxClient({ url, token: 't', ...noWait })
    expect(await take(client, 3, '1:0:')).toEqual([1, 2, 3])
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['1:0:', '1:2:', '1:2:', '1:2:'])
  })

  it('tells when it is connected and when not', async () => {
    const { url } = await startReceiver(sse(event('1:1:', 1)), 'hang up', sse(event('1:2:', 2)))
    const told: boolean[] = []
    const ending = new AbortController()
    const onConnection = (isOpen: boolean) => told.push(isOpen)
    const client = createInboxClient({ url, token: 't', ...noWait })
    for await (const { unread } of client.stream({ signal: ending.signal, onConnection }))
      if (unread === 2) ending.abort()
    expect(told).toEqual([true, false, true])
  })

  it('gets a new token when the one before has ended', async () => {
    const { url, requests } = await startReceiver(
      sse(`${event('1:1:', 1)}event: expired\ndata: {}\n\n`),
      EXPIRED,
      sse(event('1:2:', 2)),
    )
    const client = createInboxClient({ url, token: 'old', refreshToken: async () => 'new', ...noWait })
    expect(await take(client, 2)).toEqual([1, 2])
    expect(shownIn(requests)).toEqual(['Bearer old', 'Bearer old', 'Bearer new'])
  })

  it('ends with the reason when it is refused for good', async () => {
    const { url } = await startReceiver(EXPIRED)
    const client = createInboxClient({ url, token: 't', ...noWait })
    await expect(take(client, 1)).rejects.toMatchObject({ status: 401 })
  })

  it('ends without a word when it is told to, also while nothing comes', async () => {
    const { url, requests } = await startReceiver('silence')
    const ending = new AbortController()
    const stream = createInboxClient({ url, token: 't' }).stream({ signal: ending.signal })
    const next = stream.next()
    await expect.poll(() => requests.length).toBe(1)
    ending.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })
})

test('the client needs nothing that browsers lack', async () => {
  const files = [
    'inbox-client',
    'inbox-stream',
    'event-stream',
    'token',
    'http',
    'options',
    'retry',
    'deadline',
  ]
  const { readFile } = await import('node:fs/promises')
  for (const file of files) {
    const source = await readFile(new URL(`./${file}.ts`, import.meta.url), 'utf8')
    expect([file, /'node:|\bBuffer\b|\bprocess\.|\brequire\(/.test(source)]).toEqual([file, false])
  }
})
