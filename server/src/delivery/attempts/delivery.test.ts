import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Message } from '../../content/messages/message.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent', provider_message_id: 'p-1' }
const RETRY: Outcome = { kind: 'retry', message: 'mail server away' }
const users = (...ids: string[]) => ({ kind: 'users', user_ids: ids })

/** A worker that answers by notification, so tests do not see each other's messages. */
function deliverOnly(id: string, answer: (message: Message) => Outcome | Promise<Outcome>) {
  return carillon.deliver(message => (message.notification_id === id ? answer(message) : SENT))
}

it('a delivered route is sent and has its time, its provider and the provider’s message id', {
  tags: ['S002-6', 'S000-17'],
}, async () => {
  const id = await carillon.send()
  const worker = deliverOnly(id, () => SENT)
  const [route] = await carillon.settled(id, 'sent')
  await worker.stop()
  expect(route).toMatchObject({
    provider: 'test',
    provider_message_id: 'p-1',
    attempt_count: 1,
    next_attempt_at: null,
  })
  expect(route!.finished_at).not.toBeNull()
})

it('a failed attempt is counted and logged, and the route is retried after its backoff', {
  tags: ['S002-6', 'S000-22'],
}, async () => {
  const id = await carillon.send()
  let calls = 0
  const worker = deliverOnly(id, () => (++calls === 1 ? { ...RETRY, message: 'x'.repeat(5000) } : SENT))
  const [waiting] = await carillon.settled(id, 'retrying')
  expect(waiting).toMatchObject({ attempt_count: 1, last_error_classification: 'transient' })
  expect(waiting!.last_error_message).toHaveLength(1024)
  const delay = Date.parse(waiting!.next_attempt_at!) - Date.parse(waiting!.last_error_at!)
  expect(delay).toBeGreaterThanOrEqual(10_000)
  expect(delay).toBeLessThanOrEqual(11_000)
  await carillon.skipWaiting()
  const [sent] = await carillon.settled(id, 'sent')
  await worker.stop()
  expect(sent!.attempt_count).toBe(2)
  const attempts = await carillon.attemptsOf(sent!)
  expect(attempts.map(attempt => attempt.outcome)).toEqual(['retry', 'sent'])
  expect(attempts.map(attempt => attempt.attempt_no)).toEqual([1, 2])
})

it('a route that exhausts its attempts becomes dead together with one dead letter that has a hint', {
  tags: ['S000-24', 'S000-25'],
}, async () => {
  await carillon.request('PUT', '/v1/notification-types/fragile', {
    body: { channels: ['email'], max_attempts: { email: 2 } },
  })
  const id = await carillon.send({ notification_type: 'fragile' })
  const worker = deliverOnly(id, () => RETRY)
  await carillon.settled(id, 'retrying')
  await carillon.skipWaiting()
  const [route] = await carillon.settled(id, 'dead')
  await worker.stop()
  const letters = (await carillon.request('GET', '/v1/dead-letters?notification_type=fragile')).body.data
  expect(letters).toHaveLength(1)
  expect(letters[0]).toMatchObject({
    notification_id: id,
    route_id: route!.route_id,
    channel: 'email',
    recipient_ref: 'address:ada@example.com',
    final_attempt_count: 2,
    max_attempts: 2,
    failure_reason: 'max_retries_exceeded',
    failure_classification: 'transient',
    failure_message: 'mail server away',
  })
  expect(letters[0].recovery_hint).toMatch(/replay/)
})

it.each([
  ['permanent', 'dead', 'permanent_failure'],
  ['config', 'retrying', undefined],
  ['uncertain', 'retrying', undefined],
  ['rate_limited', 'retrying', undefined],
] as const)(
  'an attempt that ends as %s leaves the route %s',
  { tags: 'S000-23' },
  async (kind, status, reason) => {
    const id = await carillon.send()
    const worker = deliverOnly(id, () => ({ kind, message: 'no' }))
    const [route] = await carillon.settled(id, status)
    await worker.stop()
    expect(route!.attempt_count).toBe(1)
    expect(route!.last_error_classification).toBe(kind)
    const letter = (await carillon.request('GET', '/v1/dead-letters?limit=1')).body.data[0]
    if (reason !== undefined) expect(letter).toMatchObject({ notification_id: id, failure_reason: reason })
  },
)

it('a Retry-After delays the next attempt, and a route whose deadline comes first expires', async () => {
  const patient = await carillon.send()
  const hurried = await carillon.send({ expires_at: new Date(Date.now() + 60_000).toISOString() })
  const worker = carillon.deliver(() => ({
    kind: 'rate_limited',
    message: 'slow down',
    retry_after_ms: 120_000,
  }))
  const [waiting] = await carillon.settled(patient, 'retrying')
  expect(Date.parse(waiting!.next_attempt_at!) - Date.parse(waiting!.last_error_at!)).toBeGreaterThanOrEqual(
    120_000,
  )
  const [expired] = await carillon.settled(hurried, 'expired')
  await worker.stop()
  expect(expired).toMatchObject({ reason: 'deadline', attempt_count: 1 })
})

it('a route whose deadline passed while it waited expires without a send', async () => {
  const id = await carillon.send({ expires_at: new Date(Date.now() + 60_000).toISOString() })
  await carillon.passDeadline(id)
  let calls = 0
  const worker = deliverOnly(id, () => {
    calls++
    return SENT
  })
  const [route] = await carillon.settled(id, 'expired')
  await worker.stop()
  expect(calls).toBe(0)
  expect(route!.attempt_count).toBe(0)
})

it('exhausting the attempts of push leaves the budget of email alone', {
  tags: 'S000-21',
}, async () => {
  await carillon.request('PUT', '/v1/users/budget', { body: { email: 'budget@example.com' } })
  const id = await carillon.send({ audience: users('budget'), channels: ['push', 'email'] })
  const worker = deliverOnly(id, message => (message.channel === 'push' ? RETRY : SENT))
  for (let attempt = 1; attempt <= 3; attempt++) {
    await waitFor(
      async () => {
        await carillon.skipWaiting()
        const routes = await carillon.routesOf(id)
        return routes.some(route => route.channel === 'push' && route.attempt_count >= attempt)
      },
      { what: `push attempt ${attempt}` },
    )
  }
  const routes = await carillon.settled(id, 'dead', 'sent')
  await worker.stop()
  const byChannel = Object.fromEntries(routes.map(route => [route.channel, route]))
  expect(byChannel.push).toMatchObject({ status: 'dead', attempt_count: 3, max_attempts: 3 })
  expect(byChannel.email).toMatchObject({ status: 'sent', attempt_count: 1, max_attempts: 7 })
})

it('routes are not attempted before send_at, and due routes go oldest first', {
  tags: ['S002-5', 'S000-19'],
}, async () => {
  const order: string[] = []
  const later = await carillon.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const ids = [await carillon.send(), await carillon.send(), await carillon.send()]
  for (const [i, id] of ids.entries()) await carillon.makeOverdue(id, `${i + 1} minutes`)
  const worker = carillon.deliver(
    message => {
      order.push(message.notification_id)
      return SENT
    },
    { concurrency: 1 },
  )
  for (const id of ids) await carillon.settled(id, 'sent')
  await worker.stop()
  expect(order.filter(id => ids.includes(id))).toEqual([...ids].reverse())
  expect((await carillon.routesOf(later))[0]!.status).toBe('pending')
  expect(order).not.toContain(later)
})

it('every attempt carries the same message id, request id and trace context', {
  tags: 'S000-26',
}, async () => {
  const seen: Message[] = []
  const answer = await carillon.request('POST', '/v1/intents', {
    body: {
      notification_type: 't',
      audience: { kind: 'addresses', channel: 'sms', addresses: ['+491510000000'] },
      payload: {},
      request_id: 'req-7',
    },
    headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  })
  const id = answer.body.notification_id
  const worker = deliverOnly(id, message => {
    seen.push(message)
    return seen.length === 1 ? RETRY : SENT
  })
  await carillon.settled(id, 'retrying')
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect(seen).toHaveLength(2)
  expect(seen[0]!.message_id).toBe(seen[1]!.message_id)
  expect(seen[0]!.message_id).toContain(id)
  expect(seen[1]).toMatchObject({
    request_id: 'req-7',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
})

it.each([
  ['a NUL', 'bad \0 byte'],
  ['an emoji cut in half at the limit', `${'x'.repeat(1023)}😀`],
  ['half a character', 'lone \ud800 surrogate'],
])('an answer with %s is stored and holds up no other route', async (_name, message) => {
  const ids = [await carillon.send(), await carillon.send(), await carillon.send()]
  const worker = carillon.deliver(sent =>
    sent.notification_id === ids[0]
      ? { kind: 'permanent', message }
      : { kind: 'sent', provider_message_id: message },
  )
  const [dead] = await carillon.settled(ids[0]!, 'dead')
  for (const id of ids.slice(1)) await carillon.settled(id, 'sent')
  await worker.stop()
  expect(dead!.last_error_message.slice(0, 3)).toBe(message.slice(0, 3))
})

it('a route waits without using an attempt while its providers cannot be looked up', async () => {
  const id = await carillon.send()
  let isAway = true
  const worker = carillon.deliver(() => SENT, {
    candidates: async () => {
      if (isAway) throw new Error('database away')
      return [
        {
          name: 'back',
          provider: { send: async () => SENT },
          reportsBack: false,
          uncertainPolicy: 'resend',
        },
      ]
    },
  })
  await waitFor(async () => (await carillon.routesOf(id))[0]!.reason === 'no_provider', {
    what: 'the postponement',
  })
  isAway = false
  await carillon.skipWaiting()
  const [route] = await carillon.settled(id, 'sent')
  await worker.stop()
  expect(route!.attempt_count).toBe(1)
})

it('a provider that throws or hangs does not stop other messages', async () => {
  const hanging = await carillon.send({
    audience: { kind: 'addresses', channel: 'sms', addresses: ['+15550000001'] },
  })
  let release = (_: Outcome) => {}
  const worker = carillon.deliver(
    message => {
      if (message.channel === 'sms') return new Promise<Outcome>(resolve => (release = resolve))
      if (message.subject === 'boom') throw new Error('bug in the provider')
      return SENT
    },
    { concurrency: 1 },
  )
  const broken = await carillon.send({ payload: { title: 'boom' } })
  const [route] = await carillon.settled(broken, 'retrying')
  expect(route!.last_error_message).toContain('bug in the provider')
  await carillon.settled(await carillon.send(), 'sent')
  await waitFor(async () => (await carillon.routesOf(hanging))[0]!.attempt_count === 1, {
    what: 'the hanging send to start',
  })
  release(SENT)
  await carillon.settled(hanging, 'sent')
  await worker.stop()
})
