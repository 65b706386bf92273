import type { Explanation } from '@carillon/contract'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
const RETRY: Outcome = { kind: 'retry', message: 'The server is busy' }
let worker: Service | undefined

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com', locale: 'de' }))
afterEach(async () => {
  await worker?.stop()
  worker = undefined
})

/** Answers with each outcome in turn, then always with the last one. */
function deliver(...outcomes: Outcome[]): void {
  let n = 0
  worker = carillon.deliver(() => outcomes[Math.min(n++, outcomes.length - 1)]!)
}

const explain = async (id: string, query = ''): Promise<Explanation> =>
  (await carillon.request('GET', `/v1/records/${id}/explain${query}`)).body
const onlyRoute = (explanation: Explanation) => explanation.people[0]!.routes[0]!
const story = (explanation: Explanation) => onlyRoute(explanation).decisions.map(each => each.decision)
const texts = (explanation: Explanation) => onlyRoute(explanation).decisions.map(each => each.text)

it('explain tells of a sent notification from whom, to whom and how it was sent', async () => {
  deliver(SENT)
  const audience = { kind: 'users', user_ids: ['ada'] }
  const id = await carillon.send({
    audience,
    channels: ['email'],
    producer: 'shop',
    idempotency_key: 'order-7',
  })
  await carillon.settled(id, 'sent')
  const explanation = await explain(id)
  expect(explanation).toMatchObject({ notification_id: id, summary: '1 route: 1 sent.', next_cursor: null })
  expect(explanation.decisions.map(each => [each.decision, each.text])).toEqual([
    [
      'accepted',
      expect.stringMatching(/^Accepted from shop by http as order_shipped, key "order-7"; repeats until /),
    ],
    ['unknown_type', 'The catalog has no type "order_shipped", so nothing is known about it.'],
    ['audience', 'For 1 user (ada), listed by the producer.'],
    ['channels', 'Channels: email.'],
    ['expanded', 'The audience became 1 route.'],
  ])
  expect(explanation.people.map(person => person.recipient_ref)).toEqual(['user:ada'])
  expect(onlyRoute(explanation)).toMatchObject({
    status: 'sent',
    summary: 'Sent through test after 1 attempt.',
  })
  expect(texts(explanation)).toEqual([
    'To ada@example.com on email, locale de, at most 7 attempts.',
    expect.stringMatching(/^Attempt 1: sent through test in \d+ ms\.$/),
  ])
})

it('explain tells of a retried notification each failure with its reason and the next attempt', async () => {
  deliver(RETRY, { kind: 'rate_limited', message: 'Slow down.' }, SENT)
  const id = await carillon.send()
  await carillon.settled(id, 'retrying')
  expect(onlyRoute(await explain(id)).summary).toMatch(
    /^1 attempt of 7 failed; next at .* Last error: The server is busy$/,
  )
  await carillon.skipWaiting()
  await expect.poll(async () => (await carillon.routesOf(id))[0]!.attempt_count).toBe(2)
  await carillon.settled(id, 'retrying')
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  const explanation = await explain(id)
  expect(story(explanation)).toEqual(['routed', 'retry', 'rate_limited', 'sent'])
  expect(texts(explanation)[1]).toMatch(
    /^Attempt 1: retry through test in \d+ ms: The server is busy\. Next attempt at 20/,
  )
  expect(texts(explanation)[2]).toMatch(
    /^Attempt 2: rate limited through test in \d+ ms: Slow down\. Next attempt at 20/,
  )
  expect(onlyRoute(explanation).summary).toBe('Sent through test after 3 attempts.')
})

it('explain tells of a skipped notification what was missing', async () => {
  await carillon.putUser('mute')
  const audience = { kind: 'users', user_ids: ['mute'] }
  const explanation = await explain(await carillon.send({ audience, channels: ['email'] }))
  expect(explanation.summary).toBe('1 route: 1 skipped.')
  expect(onlyRoute(explanation).summary).toBe('Skipped: no_address.')
  expect(texts(explanation)).toEqual(['Wanted on email, but there is no address for it.'])
})

it('explain tells of a cancelled notification when it was to be sent and that it was cancelled', async () => {
  const send_at = '2031-01-01T00:00:00.000Z'
  const id = await carillon.send({ send_at, expires_at: '2032-01-01T00:00:00.000Z' })
  expect(onlyRoute(await explain(id)).summary).toBe(`Waiting until ${send_at}.`)
  await carillon.request('POST', `/v1/records/${id}/cancel`)
  const explanation = await explain(id)
  const decisions = explanation.decisions.map(each => each.decision)
  expect(decisions).toEqual([
    'accepted',
    'unknown_type',
    'audience',
    'channels',
    'scheduled',
    'deadline',
    'expanded',
    'cancelled',
  ])
  expect(explanation.decisions[4]!.text).toBe(`Not before ${send_at} (send_at).`)
  expect(explanation.decisions[5]!.text).toBe('Not after 2032-01-01T00:00:00.000Z (expires_at).')
  expect(texts(explanation).at(-1)).toBe('Cancelled while it was waiting.')
  expect(onlyRoute(explanation).summary).toBe('Cancelled: cancelled.')
})

it('explain tells of an expired notification that its deadline had passed', async () => {
  const id = await carillon.send({ expires_at: '2031-01-01T00:00:00Z' })
  await carillon.pool.query(
    "update records set expires_at = now() - interval '1 second' where notification_id = $1",
    [id],
  )
  deliver(SENT)
  await carillon.settled(id, 'expired')
  const explanation = await explain(id)
  expect(story(explanation)).toEqual(['routed', 'expired'])
  expect(texts(explanation)[1]).toBe('Attempt 1: expired: expires_at passed before it could be sent.')
  expect(onlyRoute(explanation).summary).toBe('Expired: deadline.')
})

it('explain tells of a replayed dead letter why it was given up, who replayed it and how it ended', async () => {
  deliver({ kind: 'permanent', message: 'No such mailbox.' }, SENT)
  const key = (await carillon.createKey({ name: 'ops', scopes: ['admin'], user_id: 'ada' })).key
  const id = await carillon.send()
  await carillon.settled(id, 'dead')
  expect(onlyRoute(await explain(id)).summary).toBe('Given up after 1 attempt: No such mailbox.')
  const [letter] = await carillon.readAll('/v1/dead-letters')
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`, { key })
  await carillon.settled(id, 'sent')
  const explanation = await explain(id)
  expect(story(explanation)).toEqual(['routed', 'permanent', 'dead_lettered', 'replayed', 'sent'])
  expect(texts(explanation)[2]).toMatch(
    /^Given up: permanent failure\. The mail server refused the message\./,
  )
  expect(texts(explanation)[3]).toBe('Dead letter replayed by ada.')
  const times = onlyRoute(explanation).decisions.map(each => each.at)
  expect(times).toEqual([...times].sort())
})

it('explain shows a large audience page by page, or one person only', async () => {
  await carillon.putUser('bob', { email: 'bob@example.com' })
  const audience = { kind: 'users', user_ids: ['ada', 'bob'] }
  const id = await carillon.send({ audience, channels: ['email', 'push'] })
  const first = await explain(id, '?limit=3')
  const rest = await explain(id, `?limit=3&cursor=${first.next_cursor}`)
  const shown = [...first.people, ...rest.people].flatMap(person =>
    person.routes.map(route => route.route_id),
  )
  expect(shown.sort()).toEqual(['email:user:ada', 'email:user:bob', 'push:user:ada', 'push:user:bob'])
  expect(rest.next_cursor).toBeNull()
  const bob = await explain(id, '?user_id=bob')
  expect(bob.people).toMatchObject([
    { recipient_ref: 'user:bob', routes: [{ channel: 'email' }, { channel: 'push' }] },
  ])
})

it.each([
  [{ kind: 'tenant' }, 'For every user of the tenant.', /still being worked out \(0 routes so far\)/],
  [
    { kind: 'topic', topic: 'news' },
    'For everybody who watches the topic "news" at level all.',
    /still being/,
  ],
  [
    { kind: 'addresses', channel: 'sms', addresses: ['+15550001', '+15550002', '+15550003', '+15550004'] },
    'For 4 addresses (+15550001, +15550002, +15550003, …), listed by the producer.',
    /^4 routes: 4 pending\.$/,
  ],
])('explain says who is in the audience %j', async (audience, text, summary) => {
  const explanation = await explain(await carillon.send({ audience }))
  expect(explanation.decisions[2]!.text).toBe(text)
  expect(explanation.summary).toMatch(summary)
})
