/** The examples at work: saved from their files, started by real triggers, with everything that they cause. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { fireDueTrigger } from '../../server/src/automation/triggers/cron-ticker.ts'
import { carillon as commandLine } from '../../server/src/cli/in-process.fixture.ts'
import type { Outcome } from '../../server/src/providers/services/provider.ts'
import { useCarillon } from '../../server/test/carillon.ts'
import { useScripts } from '../../server/test/running-scripts.ts'
import { waitFor } from '../../server/test/wait-for.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)
const ids: Record<string, string> = {}

beforeAll(async () => {
  const url = await carillon.listen()
  const folder = new URL('.', import.meta.url).pathname
  const environment = { CARILLON_API_KEY: carillon.key }
  expect(await commandLine(url, ['scripts', 'push', folder], { environment })).toMatchObject({ code: 0 })
  for (const { name, id } of await carillon.readAll('/v1/scripts')) ids[name] = id
  await carillon.putUser('ada', { email: 'ada@example.com', phone: '+4915112345678' })
  await carillon.putType('payment_failed', { channels: ['email', 'sms'], critical: true })
})
beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  await carillon.pool.query('delete from records')
})

const tell = (queue: string, message: unknown) =>
  carillon.request('POST', `/v1/queues/${queue}`, { body: { message } })
const recordsOf = (type: string) => carillon.readAll(`/v1/records?notification_type=${type}`)
const letters = () => carillon.readAll('/v1/dead-letters?state=all')

it('replay-after-recovery sends again what died during an outage', {
  tags: ['S003-19', 'S003-25'],
}, async () => {
  const script = ids['replay-after-recovery']!
  await scripts.trigger('dead_letter', script, { source: 'route' })
  await scripts.trigger('queue', script, { queue: 'provider-recovered' })
  await carillon.request('PATCH', '/v1/tenant', { body: { max_attempts: { email: 1 } } })
  scripts.start()
  let isDown = true
  const worker = carillon.deliver(
    (): Outcome => (isDown ? { kind: 'retry', message: 'connection refused' } : { kind: 'sent' }),
  )
  const sent = [await carillon.send(), await carillon.send({ payload: { title: 'Another' } })]
  for (const id of sent) await carillon.settled(id, 'dead')
  await waitFor(
    async () => ((await scripts.get('replays', 'waiting')) as unknown[] | undefined)?.length === 2,
    {
      what: 'both letters to be remembered',
    },
  )
  isDown = false
  await tell('provider-recovered', { provider: 'mail' })
  for (const id of sent) await carillon.settled(id, 'sent')
  await worker.stop()
  expect((await letters()).map(letter => letter.resolution)).toEqual(['replayed', 'replayed'])
  expect(await scripts.get('replays', 'waiting')).toEqual([])
})

it('escalate-to-sms turns a critical mail that failed into a text message', {
  tags: ['S003-19', 'S003-21'],
}, async () => {
  await scripts.trigger('dead_letter', ids['escalate-to-sms']!, { source: 'route' })
  scripts.start()
  const worker = carillon.deliver(
    ({ channel }): Outcome =>
      channel === 'email' ? { kind: 'permanent', message: 'mailbox full' } : { kind: 'sent' },
  )
  const to = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
  const payload = { title: 'Your payment failed' }
  const mail = await carillon.send({ ...to, notification_type: 'payment_failed', payload })
  const newsletter = await carillon.send({ ...to, notification_type: 'newsletter', payload })
  for (const id of [mail, newsletter]) await carillon.settled(id, 'dead')
  const text = await waitFor(
    async () => (await recordsOf('payment_failed')).find(record => record.notification_id !== mail),
    { what: 'the text message' },
  )
  const [route] = await carillon.settled(text.notification_id, 'sent')
  expect(route).toMatchObject({ channel: 'sms', recipient_ref: 'user:ada' })
  await worker.stop()
  await scripts.settled()
  const resolutions = (await letters()).map(letter => [letter.notification_type, letter.resolution])
  expect(resolutions).toContainEqual(['payment_failed', 'handled_by_script'])
  expect(resolutions).toContainEqual(['newsletter', null])
  expect(await recordsOf('newsletter')).toHaveLength(1)
})

it('daily-summary counts orders that come at the same time, and tells the team in the evening', async () => {
  const script = ids['daily-summary']!
  await scripts.trigger('queue', script, { queue: 'orders' })
  await scripts.trigger('cron', script, { cron: '0 18 * * *', timezone: 'Europe/Berlin' })
  await carillon.request('PUT', '/v1/topics/sales/watch', { body: { user_id: 'ada' } })
  scripts.start()
  await Promise.all(Array.from({ length: 12 }, () => tell('orders', { total: 25 })))
  await scripts.settled()
  expect(await scripts.get('summary', 'today')).toEqual({ orders: 12, revenue: 300 })
  await carillon.pool.query("update cron_trigger_details set next_run_at = now() - interval '1 second'")
  await fireDueTrigger({ pool: carillon.pool, onFired: () => {} })
  await scripts.settled()
  const [record] = await recordsOf('daily_summary')
  const detail = await carillon.request('GET', `/v1/records/${record.notification_id}`)
  expect(JSON.parse(detail.body.payload_json)).toMatchObject({ title: '12 orders today', revenue: 300 })
  expect(await scripts.get('summary', 'today')).toEqual({ orders: 0, revenue: 0 })
})

it('failure-counter tells operators once, however many failures come at the same time', async () => {
  await scripts.trigger('queue', ids['failure-counter']!, { queue: 'payment-failed' })
  scripts.start()
  await Promise.all(Array.from({ length: 12 }, () => tell('payment-failed', null)))
  await scripts.settled()
  const hours = await carillon.readAll('/v1/kv/payment-failures')
  const counts = await Promise.all(
    hours.map(({ key }) => scripts.get('payment-failures', key) as Promise<number>),
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12)
  // One, unless an hour ends while this runs.
  const events = await carillon.readAll('/v1/system-events?event_type=script.payments_failing')
  expect(events.map(event => [event.severity, event.description])).toEqual(
    counts.filter(count => count >= 10).map(() => ['high', '10 payments have failed within an hour.']),
  )
})
