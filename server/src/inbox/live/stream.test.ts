/** The live stream of an inbox, over real connections. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InboxStreamEvent } from '@carillon/contract'
import { EventSource } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'
import { type OpenStream, openStream } from '../../../test/event-stream.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { aBrowserOf } from '../../../test/signed-in.ts'
import { tokenFor } from '../../../test/user-tokens.ts'
import { inboxOf } from '../notifications/inbox.fixture.ts'

const carillon = useCarillon({ isApart: true })
const inbox = inboxOf(carillon)
const opened: OpenStream[] = []
let url: string

beforeAll(async () => {
  url = await carillon.listen()
  for (const name of ['ada', 'bob']) await carillon.putUser(name)
})
beforeEach(inbox.clear)
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
})
afterAll(() => carillon.api.server.closeAllConnections())

async function open(query = '', headers: Record<string, string> = {}): Promise<OpenStream> {
  const stream = await openStream(url, `/v1/inbox/stream${query}`, headers)
  opened.push(stream)
  return stream
}
const asPerson = async (user: string, headers: Record<string, string> = {}, query = '') =>
  open(query, { authorization: `Bearer ${await tokenFor(carillon, user)}`, ...headers })

it('an inbox stream begins with the count and version, and no proxy stores or gathers it', async () => {
  await inbox.add({}, { is_read: true, read_at: new Date() })
  const stream = await asPerson('ada')
  expect(stream.status).toBe(200)
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  const first = await stream.event(0)
  expect(first).toMatchObject({ event: 'inbox', data: { unread: 1, changed: [], reset: false } })
  expect(first.id).toBe(first.data.version)
  expect(stream.text()).toMatch(/^retry: \d+\n: {2048}\n\n/)
})

it('an inbox stream tells what is added, changed and hidden, with the count after it', async () => {
  const stream = await asPerson('ada')
  await stream.event(0)
  const [id] = await inbox.add({ title: 'new' })
  expect((await stream.event(1)).data).toMatchObject({ unread: 1, changed: [id] })
  await inbox.post('ada', `/${id}/read`)
  expect((await stream.event(2)).data).toMatchObject({ unread: 0, changed: [id] })
  await inbox.post('ada', `/${id}/hide`)
  expect((await stream.event(3)).data).toMatchObject({ unread: 0, changed: [id] })
})

it('an announcement reaches the streams of all people, and its reading only the reader’s', async () => {
  const [ada, bob] = [await asPerson('ada'), await asPerson('bob')]
  await Promise.all([ada.event(0), bob.event(0)])
  const [id] = await inbox.add({ user: null })
  for (const stream of [ada, bob])
    expect((await stream.event(1)).data).toMatchObject({ unread: 1, changed: [id] })
  await inbox.post('ada', `/${id}/read`)
  expect((await ada.event(2)).data).toMatchObject({ unread: 0, changed: [id] })
  await inbox.add({ user: 'bob' })
  expect((await bob.event(2)).data).toMatchObject({ unread: 2 })
  expect(bob.events()).toHaveLength(3)
})

it('an inbox stream tells nothing of another person’s rows', async () => {
  const [ada, bob] = [await asPerson('ada'), await asPerson('bob')]
  await Promise.all([ada.event(0), bob.event(0)])
  await inbox.add({ user: 'bob' })
  await bob.event(1)
  const [id] = await inbox.add({ user: 'ada' })
  expect((await ada.event(1)).data).toMatchObject({ changed: [id] })
})

it('an inbox stream goes on where an earlier connection was, and tells each change once', async () => {
  const first = await asPerson('ada')
  const { id: seen } = await first.event(0)
  first.close()
  const ids = await inbox.add({}, {}, {})
  const again = await asPerson('ada', { 'last-event-id': seen! })
  const { data, id } = await again.event(0)
  expect([data.unread, [...data.changed].sort()]).toEqual([3, [...ids].sort()])
  again.close()
  const third = await asPerson('ada', {}, `?last_event_id=${encodeURIComponent(id!)}`)
  expect((await third.event(0)).data).toMatchObject({ unread: 3, changed: [], reset: false })
})

it('an inbox stream tells of a change that commits after later ones have been told', async () => {
  const stream = await asPerson('ada')
  await stream.event(0)
  const late = await openTransaction(carillon.pool)
  await inbox.event(1, ['ada'], {}, { db: late.client })
  const [early] = await inbox.add({})
  const told = await stream.event(1)
  expect(told.data.changed).toEqual([early])
  stream.close()
  await late.commit()
  const [row] = (await inbox.list('ada')).filter(({ id }) => id !== early)
  const again = await asPerson('ada', { 'last-event-id': told.id! })
  expect((await again.event(0)).data).toMatchObject({ unread: 2, changed: [row.id] })
})

it('an inbox stream asks for a new list after too many changes, or for a version from elsewhere', async () => {
  const { id: seen } = await (await asPerson('ada')).event(0)
  await inbox.add(...Array.from({ length: 101 }, () => ({})))
  const event: InboxStreamEvent = (await (await asPerson('ada', { 'last-event-id': seen! })).event(0)).data
  expect([event.reset, event.changed.length, event.unread]).toEqual([true, 100, 101])
  const foreign = await asPerson('ada', { 'last-event-id': '99999999999:99999999999:' })
  expect((await foreign.event(0)).data).toMatchObject({ reset: true })
  const { id: former } = await foreign.event(0)
  await inbox.restore()
  const returning = await asPerson('ada', { 'last-event-id': former! })
  expect((await returning.event(0)).data).toMatchObject({ reset: true })
  const nonsense = await asPerson('ada', { 'last-event-id': 'nonsense' })
  expect((await nonsense.event(0)).data).toMatchObject({ reset: false, unread: 101 })
})

it('a person may have ten streams, and the next one is refused', async () => {
  for (let i = 0; i < 10; i++) await (await asPerson('bob')).event(0)
  const stream = await asPerson('bob')
  expect([stream.status, stream.headers['retry-after']]).toEqual([429, '60'])
  opened[0]!.close()
  await expect.poll(async () => (await asPerson('bob')).status).toBe(200)
})

it('an inbox stream passes a proxy that gathers two kilobytes before it passes anything on', async () => {
  const proxy = createServer((incoming, outgoing) => {
    let gathered = Buffer.alloc(0)
    const asked = request(url + incoming.url, { headers: incoming.headers, agent: false }, answer => {
      answer.on('data', chunk => {
        gathered = Buffer.concat([gathered, chunk])
        if (gathered.length < 2048) return
        outgoing.write(gathered)
        // From then on it passes on what comes.
        answer.removeAllListeners('data').pipe(outgoing)
      })
    })
    asked.end()
  }).listen(0)
  await once(proxy, 'listening')
  const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const headers = { authorization: `Bearer ${await tokenFor(carillon, 'ada')}` }
  const stream = await openStream(through, '/v1/inbox/stream', headers)
  expect((await stream.event(0)).data).toMatchObject({ unread: 0 })
  await inbox.add({})
  expect((await stream.event(1)).data).toMatchObject({ unread: 1 })
  stream.close()
  proxy.close()
  proxy.closeAllConnections()
})

it('an EventSource as browsers have it comes back by itself and goes on where it was', async () => {
  const query = `access_token=${await tokenFor(carillon, 'ada')}&max_seconds=1`
  const source = new EventSource(`${url}/v1/inbox/stream?${query}`)
  const events: InboxStreamEvent[] = []
  let endings = 0
  source.addEventListener('inbox', event => events.push(JSON.parse((event as MessageEvent).data)))
  source.addEventListener('closing', () => {
    endings++
  })
  await expect.poll(() => endings, { timeout: 20_000 }).toBe(1)
  const [id] = await inbox.add({})
  await expect.poll(() => events.at(-1)?.changed, { timeout: 20_000 }).toEqual([id])
  expect(events[0]).toMatchObject({ unread: 0, changed: [] })
  source.close()
})

it('pages of the tenant’s origins may read a stream, and others may not', async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { cors_origins: ['https://app.example.com'] } })
  const ours = await asPerson('ada', { origin: 'https://app.example.com' })
  const theirs = await asPerson('ada', { origin: 'https://evil.example' })
  expect(ours.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example.com',
    vary: 'Origin',
  })
  expect(theirs.headers).not.toHaveProperty('access-control-allow-origin')
})

it('a browser’s EventSource may open a stream with the token in the address', async () => {
  const stream = await open(`?access_token=${await tokenFor(carillon, 'ada')}`)
  expect((await stream.event(0)).data).toMatchObject({ unread: 0 })
})

it('an inbox stream is refused to an API key in the address and to another person’s token', async () => {
  expect((await open(`?access_token=${carillon.key}&user_id=ada`)).status).toBe(401)
  expect((await open('?access_token=')).status).toBe(401)
  expect((await open(`?user_id=bob&access_token=${await tokenFor(carillon, 'ada')}`)).status).toBe(403)
  const elsewhere = `/v1/inbox?access_token=${await tokenFor(carillon, 'ada')}`
  expect(problemOf(await carillon.request('GET', elsewhere, { key: null })).status).toBe(401)
})

it('a backend may open a stream with its API key, for people who exist', async () => {
  const headers = { authorization: `Bearer ${carillon.key}` }
  expect((await (await open('?user_id=ada', headers)).event(0)).data).toMatchObject({ unread: 0 })
  expect((await open('?user_id=nobody', headers)).status).toBe(404)
  expect((await open('', headers)).status).toBe(400)
})

it('an inbox stream ends with its token, and says so', async () => {
  const token = await tokenFor(carillon, 'ada', { ttl_seconds: 2 })
  const stream = await open('', { authorization: `Bearer ${token}` })
  expect(await stream.event(1)).toMatchObject({ event: 'expired', id: undefined })
  await expect.poll(stream.isOver).toBe(true)
})

it.each(['/v1/users/ada/tokens/revoke', '/v1/user-tokens/revoke'])(
  'an inbox stream ends when its token is revoked by %s',
  async path => {
    const stream = await asPerson('ada')
    await stream.event(0)
    await carillon.request('POST', path)
    expect(await stream.event(1)).toMatchObject({ event: 'revoked' })
    await expect.poll(stream.isOver).toBe(true)
  },
)

it('an inbox stream ends when its person is deleted', async () => {
  await carillon.putUser('eve')
  const stream = await asPerson('eve')
  await stream.event(0)
  await carillon.request('DELETE', '/v1/users/eve')
  expect(await stream.event(1)).toMatchObject({ event: 'revoked' })
})

it.each<[string, (browser: Awaited<ReturnType<typeof aBrowserOf>>) => Promise<Answer>]>([
  ['session', browser => browser.request('DELETE', '/v1/session')],
  ['membership', ({ account }) => carillon.request('DELETE', `/v1/members/${account.id}`)],
])('an inbox stream of a signed-in account ends with its %s', async (_what, end) => {
  const browser = await aBrowserOf(carillon, 'viewer')
  const stream = await open('?user_id=ada', { cookie: browser.cookie, 'x-carillon-dashboard': '1' })
  expect((await stream.event(0)).event).toBe('inbox')
  expect((await end(browser)).status).toBe(204)
  expect(await stream.event(1)).toMatchObject({ event: 'revoked' })
})

it('an inbox stream of a signed-in account ends when its tenant is suspended', async () => {
  const { cookie } = await aBrowserOf(carillon, 'viewer')
  const stream = await open('?user_id=ada', { cookie, 'x-carillon-dashboard': '1' })
  expect((await stream.event(0)).event).toBe('inbox')
  await carillon.suspend()
  onTestFinished(carillon.resume)
  expect(await stream.event(1)).toMatchObject({ event: 'revoked' })
})

it('an inbox stream ends at once if the request says so', async () => {
  await inbox.add({})
  const key = await tokenFor(carillon, 'ada')
  const { status, body } = await carillon.request('GET', '/v1/inbox/stream?max_seconds=0', { key })
  expect(status).toBe(200)
  expect(body).toMatch(/event: inbox\ndata: .*"unread":1.*\n\nevent: closing\ndata: {}\n\n$/s)
})
