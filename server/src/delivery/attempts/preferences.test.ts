import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createMetrics } from '../../operations/telemetry/metrics.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import type { DeliveryEvents } from './worker.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
/** Two at night in Berlin. */
const NIGHT = () => new Date('2026-05-05T00:00:00Z')

beforeAll(async () => {
  await carillon.putUser('ada', {
    email: 'ada@example.com',
    phone: '+4915112345678',
    timezone: 'Europe/Berlin',
  })
  await carillon.putType('newsletter', { channels: ['email', 'sms', 'in_app'], category: 'news' })
  await carillon.putType('alarm', { channels: ['email', 'sms', 'in_app'], category: 'news', critical: true })
})

const prefer = (body: object) => carillon.request('PUT', '/v1/users/ada/preferences', { body })
const toAda = (notification_type: string, channel: string, more: object = {}) =>
  carillon.send({
    notification_type,
    audience: { kind: 'users', user_ids: ['ada'] },
    channels: [channel],
    ...more,
  })

/** What becomes of one message to Ada, delivered at night. */
async function outcomeOf(type: string, channel: string, more: object = {}) {
  const metrics = createMetrics(carillon.pool)
  const onAttempt: DeliveryEvents['onAttempt'] = (route, completion) => {
    if (!completion.uses_attempt) metrics.heldBack(route.channel, completion.outcome, completion.reason)
  }
  const events = { onAttempt, onDead: () => {}, onError: () => {} }
  const id = await toAda(type, channel, more)
  const worker = carillon.deliver(() => SENT, { now: NIGHT, events })
  await carillon.settled(id, 'sent', 'skipped', 'pending')
  // It was pending before too: the attempt shows that the gates have decided.
  const attempts = await expect
    .poll(async () => (await explain(id)).people[0].routes[0].decisions.slice(1), { timeout: 20_000 })
    .not.toEqual([])
    .then(async () => (await explain(id)).people[0].routes[0])
  await worker.stop()
  const [route] = await carillon.routesOf(id)
  return { route: route!, told: attempts, metrics: await metrics.text() }
}
const explain = async (id: string) => (await carillon.request('GET', `/v1/records/${id}/explain`)).body

it('a message on a switched-off channel is never tried, but skipped, explained and counted', {
  tags: 'S002-19',
}, async () => {
  await prefer({ channels: { sms: { enabled: false } } })
  const { route, told, metrics } = await outcomeOf('alarm', 'sms')
  expect(route).toMatchObject({ status: 'skipped', reason: 'channel_disabled', attempt_count: 0 })
  expect(told.summary).toBe('Skipped: channel_disabled.')
  expect(told.decisions.at(-1).text).toContain('The person switched this channel off altogether.')
  expect(metrics).toContain(
    'carillon_held_back_total{channel="sms",outcome="skipped",reason="channel_disabled"} 1',
  )
})

it('a message of a switched-off category is skipped on that channel only', async () => {
  await prefer({ categories: { news: { email: false } } })
  expect((await outcomeOf('newsletter', 'email')).route).toMatchObject({ reason: 'category_off' })
  expect((await outcomeOf('newsletter', 'in_app')).route).toMatchObject({ status: 'sent' })
})

it('a message is skipped if the person switched off the reason that the producer gave', {
  tags: 'S001-27',
}, async () => {
  await prefer({ reasons: { mention: { email: false } } })
  expect((await outcomeOf('newsletter', 'email', { reason: 'mention' })).route.reason).toBe('reason_off')
  expect((await outcomeOf('newsletter', 'email', { reason: 'author' })).route.status).toBe('sent')
})

it('quiet hours postpone a message to their end without an attempt, and critical types pass', {
  tags: 'S002-20',
}, async () => {
  await prefer({ channels: { email: { quiet_hours: { start: '22:00', end: '08:00' } } } })
  const { route, told, metrics } = await outcomeOf('newsletter', 'email')
  expect(route).toMatchObject({ status: 'pending', reason: 'quiet_hours', attempt_count: 0 })
  const waits = Date.parse(route.next_attempt_at!) - Date.parse(route.updated_at)
  expect(waits).toBe(6 * 3_600_000)
  expect(told.decisions.at(-1)).toMatchObject({ decision: 'postponed' })
  expect(told.decisions.at(-1).text).toContain('Quiet hours in Europe/Berlin until 2026-05-05T06:00:00.000Z')
  expect(metrics).toContain('outcome="postponed",reason="quiet_hours"} 1')
  expect((await outcomeOf('alarm', 'email')).route.status).toBe('sent')
})

it('the tenant’s defaults hold for people who have not chosen', async () => {
  await prefer({})
  await carillon.request('PUT', '/v1/preferences', { body: { categories: { news: { email: false } } } })
  const { route, told } = await outcomeOf('newsletter', 'email')
  expect(route.reason).toBe('category_off')
  expect(told.decisions.at(-1).text).toContain('The default for people who have not chosen')
  await prefer({ categories: { news: { email: true } } })
  expect((await outcomeOf('newsletter', 'email')).route.status).toBe('sent')
  await carillon.request('PUT', '/v1/preferences', { body: {} })
})

it('an intent for a topic has the reason watching unless its producer gives another', async () => {
  await carillon.request('PUT', '/v1/topics/t/watch', { body: { user_id: 'ada' } })
  const watched = await carillon.send({ audience: { kind: 'topic', topic: 't' } })
  const mentioned = await carillon.send({ audience: { kind: 'topic', topic: 't' }, reason: 'mention' })
  const reasonOf = async (id: string) => (await carillon.request('GET', `/v1/records/${id}`)).body.reason
  expect([await reasonOf(watched), await reasonOf(mentioned)]).toEqual(['watching', 'mention'])
  const { rows } = await carillon.pool.query(
    `select carillon.notify('newsletter', '{"kind":"tenant"}', '{}', reason => 'assignment') as id`,
  )
  expect(await reasonOf(rows[0].id)).toBe('assignment')
})
