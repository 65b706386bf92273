import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { createAcceptor } from '../../intake/intents/accept.ts'
import { checkIntent } from '../../intake/intents/intent.ts'
import { type App, createHttpServer } from '../../platform/http/server.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { healthRoutes } from './health-routes.ts'
import { createMetrics, type Metrics } from './metrics.ts'

const carillon = useCarillon()
let metrics: Metrics
let app: App

beforeAll(async () => {
  metrics = createMetrics(carillon.pool)
  app = await createHttpServer({ log: pino({ level: 'silent' }), authenticate: async () => undefined })
  healthRoutes(app, metrics, { pool: carillon.pool, isServing: () => true })
  await carillon.putUser('ada', { email: 'ada@example.com' })
})
afterAll(() => app.close())

/** The value of one series, undefined when there is none. */
async function value(series: string): Promise<number | undefined> {
  const { body } = await app.inject('/metrics')
  const line = body.split('\n').find(each => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const toAda = { audience: { kind: 'users', user_ids: ['ada'] } }

it('/metrics is text for Prometheus and needs no API key', async () => {
  const response = await app.inject('/metrics')
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toMatch(/^text\/plain/)
  expect(response.body).toContain('# TYPE carillon_due_routes gauge')
})

it('/metrics counts the events offered to a stream by whether they arrived', async () => {
  for (const arrived of [true, true, false]) metrics.published('nats', arrived)
  expect(await value('carillon_published_total{stream="nats",outcome="arrived"}')).toBe(2)
  expect(await value('carillon_published_total{stream="nats",outcome="failed"}')).toBe(1)
})

it('/metrics shows how many routes are due per channel and how long the oldest has waited', {
  tags: 'S000-34',
}, async () => {
  expect(await value('carillon_oldest_due_seconds')).toBe(0)
  const first = await carillon.send({ ...toAda, channels: ['email', 'push'] })
  await carillon.send({ ...toAda, channels: ['email'] })
  await carillon.send({ ...toAda, channels: ['sms'], send_at: '2031-01-01T00:00:00Z' })
  await carillon.makeOverdue(first, '90 seconds')
  expect(await value('carillon_due_routes{channel="email"}')).toBe(2)
  expect(await value('carillon_due_routes{channel="push"}')).toBe(1)
  expect(await value('carillon_due_routes{channel="sms"}')).toBeUndefined()
  const age = await value('carillon_oldest_due_seconds')
  const [oldest] = await carillon.routesOf(first)
  expect(age).toBeGreaterThanOrEqual(90)
  // Times of the API are whole milliseconds, earlier by less than one.
  expect(age).toBeLessThanOrEqual((Date.now() + 1 - Date.parse(oldest!.next_attempt_at!)) / 1000)
})

it('/metrics counts a claimed route as due only after its lease has run out', {
  tags: 'S000-34',
}, async () => {
  const lease =
    "update routes set lease_owner = 'w', lease_until = now() + $1::interval where channel = 'push'"
  await carillon.pool.query(lease, ['1 minute'])
  expect(await value('carillon_due_routes{channel="push"}')).toBeUndefined()
  await carillon.pool.query(lease, ['-1 ms'])
  expect(await value('carillon_due_routes{channel="push"}')).toBe(1)
  await carillon.pool.query('delete from records')
  expect(await value('carillon_due_routes{channel="push"}')).toBeUndefined()
  expect(await value('carillon_oldest_due_seconds')).toBe(0)
})

it('/metrics counts attempts by channel and outcome, and dead letters until they are resolved', {
  tags: 'S000-34',
}, async () => {
  const outcomes: Outcome[] = [
    { kind: 'retry', message: 'busy' },
    { kind: 'sent' },
    { kind: 'permanent', message: 'no' },
  ]
  const worker = carillon.deliver(() => outcomes.shift()!, {
    events: {
      onAttempt: (route, completion) =>
        metrics.attempted(route.channel, completion.outcome, completion.duration_ms),
      onDead: () => {},
      onError: () => {},
    },
  })
  const retried = await carillon.send()
  await carillon.settled(retried, 'retrying')
  await carillon.skipWaiting()
  await carillon.settled(retried, 'sent')
  const dead = await carillon.send()
  await carillon.settled(dead, 'dead')
  await worker.stop()
  for (const outcome of ['retry', 'sent', 'permanent']) {
    expect(await value(`carillon_attempts_total{channel="email",outcome="${outcome}"}`)).toBe(1)
  }
  expect(await value('carillon_attempt_duration_seconds_count{channel="email"}')).toBe(3)
  expect(await value('carillon_open_dead_letters')).toBe(1)
  const [letter] = await carillon.readAll('/v1/dead-letters')
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/resolve`)
  expect(await value('carillon_open_dead_letters')).toBe(0)
})

it('/metrics shows how often scripts run by outcome, how long, and how busy the threads are', async () => {
  metrics.scripts.watchSandbox(() => ({ workers: 4, busy: 3, waiting: 7 }))
  metrics.scripts.ran('kv', 'succeeded', 20)
  metrics.scripts.ran('kv', 'exception', 30)
  metrics.scripts.ran('kv', 'busy', 0)
  for (const outcome of ['succeeded', 'exception', 'busy'])
    expect(await value(`carillon_script_runs_total{kind="kv",outcome="${outcome}"}`)).toBe(1)
  expect(await value('carillon_script_run_duration_seconds_count{kind="kv"}')).toBe(2)
  expect(await value('carillon_script_workers{state="busy"}')).toBe(3)
  expect(await value('carillon_script_workers{state="idle"}')).toBe(1)
  expect(await value('carillon_script_runs_waiting')).toBe(7)
})

it('/metrics shows how many intents one statement accepted', { tags: 'S000-34' }, async () => {
  const onBatch = (size: number) => metrics.acceptedBatch(size)
  const acceptor = createAcceptor({ pool: carillon.pool, onAccepted: () => {}, onBatch })
  const origin = { tenant_id: carillon.tenantId, source: 'test', defaultProducer: 'test' }
  const submit = (n: number) => {
    const text = JSON.stringify(AN_INTENT)
    const submitted = { value: { ...AN_INTENT, idempotency_key: `batch ${n}` }, text, payloadText: '{}' }
    return acceptor.accept(checkIntent(submitted, origin))
  }
  await submit(0)
  await Promise.all(Array.from({ length: 30 }, (_, n) => submit(n + 1)))
  expect(await value('carillon_accept_batch_size_sum')).toBe(31)
  expect(await value('carillon_accept_batch_size_bucket{le="1"}')).toBe(1)
  expect(await value('carillon_accept_batch_size_count')).toBeLessThan(10)
})
