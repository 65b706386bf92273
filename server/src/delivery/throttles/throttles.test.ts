import type { NotificationTypeInput } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import { sweepRetention } from '../../operations/retention/retention.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] } }

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
})

/** Delivers everything that is due; answers what was sent. */
async function deliverAll(workers = 1): Promise<Message[]> {
  const sent: Message[] = []
  const running = Array.from({ length: workers }, () =>
    carillon.deliver(message => {
      sent.push(message)
      return { kind: 'sent' }
    }),
  )
  await carillon.nothingDue()
  for (const worker of running) await worker.stop()
  return sent
}

const statuses = async (id: string) =>
  (await carillon.routesOf(id)).map(route => [route.channel, route.status, route.reason])

it('a throttle lets the allowed number through per person, and skips the others with a reason', async () => {
  await carillon.putType('like', { channels: ['email'], throttle: { per: 3600, max: 2 } })
  const audience = { kind: 'users', user_ids: ['ada', 'bob'] }
  for (let n = 0; n < 5; n++) await carillon.send({ notification_type: 'like', audience, payload: { n } })
  const sent = await deliverAll()
  expect(sent.map(message => message.user_id).sort()).toEqual(['ada', 'ada', 'bob', 'bob'])
  const skipped = (await carillon.readAll('/v1/routes?notification_type=like')).filter(
    route => route.status === 'skipped',
  )
  expect(skipped.map(route => route.reason)).toEqual(Array(6).fill('throttled'))
  const explanation = (
    await carillon.request('GET', `/v1/records/${skipped[0].notification_id}/explain?user_id=ada`)
  ).body
  expect(explanation.people[0].routes[0].decisions.at(-1).text).toContain(
    'The person got 2 of "like" within 3600 seconds.',
  )
})

it('a throttle counts each value of its key separately, and messages without one together', async () => {
  await carillon.putType('reply', { channels: ['email'], throttle: { per: 3600, max: 1, key: 'thread' } })
  const thread = (value: unknown) =>
    carillon.send({ ...toAda, notification_type: 'reply', payload: { thread: value } })
  for (const value of ['a', 'b', 'a', 7, 7, 'x'.repeat(500), 'x'.repeat(500)]) await thread(value)
  for (let n = 0; n < 2; n++) await carillon.send({ ...toAda, notification_type: 'reply', payload: { n } })
  expect((await deliverAll()).length).toBe(5)
})

it('a throttle counts a notification once, however many channels it has', async () => {
  await carillon.putType('both', { channels: ['email', 'in_app'], throttle: { per: 3600, max: 1 } })
  const first = await carillon.send({ ...toAda, notification_type: 'both' })
  const second = await carillon.send({ ...toAda, notification_type: 'both' })
  await deliverAll()
  expect(await statuses(first)).toEqual([
    ['email', 'sent', ''],
    ['in_app', 'sent', ''],
  ])
  expect(await statuses(second)).toEqual([
    ['email', 'skipped', 'throttled'],
    ['in_app', 'skipped', 'throttled'],
  ])
})

it('a throttle lets a retry through if the first attempt was let through', async () => {
  await carillon.putType('flaky', {
    channels: ['email'],
    throttle: { per: 3600, max: 1 },
    retry_base_ms: 1,
  })
  const id = await carillon.send({ ...toAda, notification_type: 'flaky' })
  let tries = 0
  const worker = carillon.deliver(() => (++tries < 3 ? { kind: 'retry', message: 'busy' } : { kind: 'sent' }))
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect(tries).toBe(3)
})

it('a throttle lets the next message through when its window is over', async () => {
  await carillon.putType('soon', { channels: ['email'], throttle: { per: 60, max: 1 } })
  await carillon.send({ ...toAda, notification_type: 'soon' })
  await deliverAll()
  await carillon.pool.query(`update throttles set passes = (
      select jsonb_object_agg(key, value::float8 - 61) from jsonb_each(passes)) where notification_type = 'soon'`)
  const id = await carillon.send({ ...toAda, notification_type: 'soon' })
  await deliverAll()
  expect(await statuses(id)).toEqual([['email', 'sent', '']])
})

it('a throttle is kept for as long as what it has let through counts', async () => {
  await carillon.putType('rare', { channels: ['email'], throttle: { per: 3600, max: 2 } })
  const send = () => carillon.send({ ...toAda, notification_type: 'rare' })
  await send()
  await deliverAll()
  await carillon.pool.query(
    `update throttles set created_at = now() - interval '59 min', expires_at = now() - interval '1 s'
     where notification_type = 'rare'`,
  )
  await send()
  await deliverAll()
  await sweepRetention(carillon.pool)
  const third = await send()
  await deliverAll()
  expect(await statuses(third)).toEqual([['email', 'skipped', 'throttled']])
})

it('a throttle is exact when many workers ask at the same time', async () => {
  await carillon.putType('storm', { channels: ['email'], throttle: { per: 3600, max: 7 } })
  const sending = Array.from({ length: 200 }, (_, n) =>
    carillon.send({ ...toAda, notification_type: 'storm', payload: { n } }),
  )
  await Promise.all(sending)
  expect((await deliverAll(4)).length).toBe(7)
})

describe('what a throttle counts', () => {
  /** Sends one notification and delivers it with this outcome; answers the statuses of its routes. */
  async function one(type: string, outcome: Outcome | ((message: Message) => Outcome), more: object = {}) {
    const id = await carillon.send({ ...toAda, notification_type: type, ...more })
    const worker = carillon.deliver(typeof outcome === 'function' ? outcome : () => outcome)
    await carillon.settled(id, 'sent', 'skipped', 'dead', 'expired')
    await worker.stop()
    return (await statuses(id)).map(([, status, reason]) => [status, reason])
  }
  const THROTTLED: NotificationTypeInput = { channels: ['email'], throttle: { per: 3600, max: 1 } }
  const SENT = { kind: 'sent' } as const

  it('a throttle does not count what a provider refused', async () => {
    await carillon.putType('refused', THROTTLED)
    expect(await one('refused', { kind: 'permanent', message: 'no' })).toEqual([['dead', '']])
    expect(await one('refused', SENT)).toEqual([['sent', '']])
    expect(await one('refused', SENT)).toEqual([['skipped', 'throttled']])
  })

  it('a throttle does not count what a later gate held back', async () => {
    await carillon.putType('capped', THROTTLED)
    await carillon.putUser('carl', { email: 'carl@example.com' })
    const body = { channels: { email: { frequency_cap: 1 } } }
    await carillon.request('PUT', '/v1/users/carl/preferences', { body })
    const toCarl = { audience: { kind: 'users', user_ids: ['carl'] } }
    expect(await one('other', SENT, { ...toCarl, channels: ['email'] })).toEqual([['sent', '']])
    expect(await one('capped', SENT, toCarl)).toEqual([['skipped', 'frequency_cap']])
    await carillon.request('PUT', '/v1/users/carl/preferences', { body: {} })
    expect(await one('capped', SENT, toCarl)).toEqual([['sent', '']])
  })

  it('a throttle does not count what was cancelled while it waited for a retry', async () => {
    await carillon.putType('cancelled', THROTTLED)
    const id = await carillon.send({ ...toAda, notification_type: 'cancelled' })
    const worker = carillon.deliver(() => ({ kind: 'retry', message: 'later', retry_after_ms: 3_600_000 }))
    await carillon.settled(id, 'retrying')
    await worker.stop()
    await carillon.request('POST', `/v1/records/${id}/cancel`)
    expect(await one('cancelled', SENT)).toEqual([['sent', '']])
  })

  it('a throttle counts what went into a digest, whatever became of it on another channel', async () => {
    await carillon.putType('gathered', { ...THROTTLED, digest: { window: 3600 } })
    expect(await one('gathered', SENT)).toEqual([['skipped', 'digested']])
    expect(await one('gathered', SENT)).toEqual([['skipped', 'throttled']])

    await carillon.putType('split', { ...THROTTLED, channels: ['email', 'sms'], category: 'talk' })
    await carillon.putUser('dora', { email: 'dora@example.com', phone: '+4915112345679' })
    const body = { digests: { talk: { email: { every: 'day', at: '08:00' } } } }
    await carillon.request('PUT', '/v1/users/dora/preferences', { body })
    const toDora = { audience: { kind: 'users', user_ids: ['dora'] } }
    const id = await carillon.send({ ...toDora, notification_type: 'split' })
    const worker = carillon.deliver(() => ({ kind: 'retry', message: 'later', retry_after_ms: 3_600_000 }))
    await carillon.settled(id, 'skipped', 'retrying')
    await worker.stop()
    await carillon.pool.query(
      "update routes set next_attempt_at = now() where notification_id = $1 and channel = 'sms'",
      [id],
    )
    const refusing = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
    await carillon.settled(id, 'skipped', 'dead')
    await refusing.stop()
    expect(await one('split', SENT, toDora)).toEqual([
      ['skipped', 'throttled'],
      ['skipped', 'throttled'],
    ])
  })

  it('a throttle counts what may have arrived, and what went out on another channel', async () => {
    await carillon.putType('uncertain', { ...THROTTLED, max_attempts: { email: 1 } })
    await one('uncertain', { kind: 'uncertain', message: 'no answer' })
    expect(await one('uncertain', SENT)).toEqual([['skipped', 'throttled']])

    await carillon.putType('half', { ...THROTTLED, channels: ['email', 'sms'] })
    await carillon.putUser('ada', { email: 'ada@example.com', phone: '+4915112345678' })
    const half = (message: Message): Outcome =>
      message.channel === 'sms' ? SENT : { kind: 'permanent', message: 'no' }
    await one('half', half)
    expect(await one('half', SENT)).toEqual([
      ['skipped', 'throttled'],
      ['skipped', 'throttled'],
    ])
  })
})
