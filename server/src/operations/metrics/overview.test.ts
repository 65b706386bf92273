import { beforeEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { rollUpMetrics } from './rollup.ts'

const carillon = useCarillon()
const overview = async (key = carillon.key) =>
  (await carillon.request('GET', '/v1/metrics/overview', { key })).body
const age = (id: string, interval: string) =>
  carillon.pool.query(
    `with r as (update records set accepted_at = now() - $2::interval where notification_id = $1)
     update routes set created_at = now() - $2::interval where notification_id = $1`,
    [id, interval],
  )

beforeEach(async () => {
  await carillon.pool.query('delete from records')
  await carillon.pool.query('delete from notification_metrics')
})

async function delivered(kind: 'sent' | 'permanent', provider = 'test'): Promise<string> {
  const worker = carillon.deliver({
    name: provider,
    send: async () => (kind === 'sent' ? { kind } : { kind, message: 'no' }),
    close: async () => {},
  })
  const id = await carillon.send()
  await carillon.settled(id, kind === 'sent' ? 'sent' : 'dead')
  await worker.stop()
  return id
}

it('the overview of nothing is zeros', async () => {
  const answer = await overview()
  expect(answer).toMatchObject({
    last_24_hours: { sent: 0, failed: 0, pending: 0, skipped: 0, cancelled: 0, expired: 0 },
    counted_at: null,
    stuck: { count: 0, oldest_at: null },
    due: { count: 0, oldest_at: null },
    open_system_events: { count: 0, by_severity: { low: 0, medium: 0, high: 0, critical: 0 } },
    open_dead_letters: { count: 0, oldest_at: null },
    providers: [],
  })
  expect(answer.hours).toHaveLength(24)
})

it('the overview shows what is due and not sent yet, and since when', async () => {
  const first = await carillon.send()
  await carillon.send()
  await carillon.send({ send_at: '2040-01-01T00:00:00Z' })
  await carillon.makeOverdue(first, '5 minutes')
  const [oldest] = await carillon.routesOf(first)
  expect((await overview()).due).toEqual({ count: 2, oldest_at: oldest!.next_attempt_at })
  const { key } = await carillon.createTenant('with nothing due')
  expect((await overview(key)).due.count).toBe(0)
})

it('the overview shows how many system events are open, by severity', async () => {
  const raise = (
    event_type: string,
    severity: 'low' | 'high',
    tenant_id: string | null = carillon.tenantId,
  ) => raiseSystemEvent(carillon.pool, { tenant_id, event_type, severity, description: '' })
  await raise('a', 'low')
  await raise('b', 'high')
  await raise('c', 'high')
  const { id } = await raise('d', 'high')
  await carillon.request('POST', `/v1/system-events/${id}/resolve`, { body: {} })
  const by_severity = { low: 1, medium: 0, high: 2, critical: 0 }
  const { key } = await carillon.createKey({ name: 'looks', scopes: ['metrics:read'] })
  expect((await overview(key)).open_system_events).toEqual({ count: 3, by_severity })
  const neighbour = await carillon.createTenant('without events')
  expect((await overview(neighbour.key)).open_system_events.count).toBe(0)
})

it('the overview shows what happened to the notifications of the last 24 hours, hour by hour', {
  tags: 'S002-32',
}, async () => {
  await delivered('sent')
  const cancelled = await carillon.send({ send_at: '2040-01-01T00:00:00Z' })
  await carillon.request('POST', `/v1/records/${cancelled}/cancel`)
  await age(await delivered('permanent'), '5 hours')
  await age(await carillon.send({ send_at: '2040-01-01T00:00:00Z' }), '22 hours')
  await age(await delivered('sent'), '25 hours')
  const before = Date.now()
  await rollUpMetrics(carillon.pool)
  const { last_24_hours, hours, counted_at } = await overview()
  expect(last_24_hours).toEqual({ sent: 1, failed: 1, pending: 1, skipped: 0, cancelled: 1, expired: 0 })
  expect(hours[18]).toMatchObject({ failed: 1 })
  expect(hours[23]).toMatchObject({ sent: 1 })
  expect(hours[1].pending + hours[0].pending).toBe(1)
  expect(Date.parse(counted_at)).toBeGreaterThanOrEqual(before)
})

it('the overview shows the current hour as it is, without waiting for the rollup', {
  tags: 'S002-32',
}, async () => {
  await delivered('sent')
  await carillon.send()
  expect((await overview()).last_24_hours).toMatchObject({ sent: 1, failed: 0, pending: 1 })
  await rollUpMetrics(carillon.pool)
  // the worker also sends the pending one
  await delivered('permanent')
  expect((await overview()).last_24_hours).toMatchObject({ sent: 1, failed: 2, pending: 0 })
})

it('the overview shows what is open for more than an hour, but not what is to be sent later', {
  tags: 'S002-32',
}, async () => {
  const [old, young, later, late] = [
    await carillon.send(),
    await carillon.send(),
    await carillon.send({ send_at: '2040-01-01T00:00:00Z' }),
    await carillon.send({ send_at: '2040-01-01T00:00:00Z' }),
  ]
  await age(old!, '61 minutes')
  await age(young!, '59 minutes')
  await age(later!, '2 days')
  await age(late!, '2 days')
  await carillon.pool.query(
    "update records set send_at = now() - interval '3 hours' where notification_id = $1",
    [late],
  )
  const { send_at } = (await carillon.request('GET', `/v1/records/${late}`)).body
  expect((await overview()).stuck).toEqual({ count: 2, oldest_at: send_at })
})

it('the overview shows how many dead letters are open, and since when', { tags: 'S002-32' }, async () => {
  await delivered('permanent')
  await delivered('permanent')
  const letters = await carillon.readAll('/v1/dead-letters')
  expect((await overview()).open_dead_letters).toEqual({ count: 2, oldest_at: letters[1].created_at })
  await carillon.request('POST', `/v1/dead-letters/${letters[1].id}/resolve`, { body: {} })
  expect((await overview()).open_dead_letters).toEqual({ count: 1, oldest_at: letters[0].created_at })
})

it('the overview shows how each provider did within the last hour', { tags: 'S002-32' }, async () => {
  await delivered('sent', 'smtp')
  await delivered('sent', 'smtp')
  await delivered('permanent', 'smtp')
  await delivered('permanent', 'ses')
  await age(await delivered('sent', 'ses'), '61 minutes')
  await carillon.send()
  expect((await overview()).providers).toEqual([
    {
      provider: 'smtp',
      channel: 'email',
      total: 3,
      sent: 2,
      failed: 1,
      avg_delivery_ms: expect.any(Number),
    },
    { provider: 'ses', channel: 'email', total: 1, sent: 0, failed: 1, avg_delivery_ms: null },
  ])
})

it('the overview is about one tenant and needs its scope', { tags: 'S004-7' }, async () => {
  await delivered('permanent')
  const other = await carillon.createTenant('quiet')
  expect((await overview(other.key)).open_dead_letters.count).toBe(0)
  const { key } = await carillon.createKey({ name: 'x', scopes: ['records:read'] })
  expect(problemOf(await carillon.request('GET', '/v1/metrics/overview', { key })).code).toBe('forbidden')
})

it('GET /v1/metrics filters by period, day, provider, channel and type, and pages by keyset', async () => {
  await carillon.pool.query(
    `insert into notification_metrics (tenant_id, date, hour, provider, channel, notification_type, sent, failed, pending,
         skipped, cancelled, expired, delivery_ms_total)
       select $1, d::date, nullif(h, 24), p, c, t, 1, 0, 0, 0, 0, 0, 5
       from generate_series('2026-01-01'::date, '2026-01-03', interval '1 day') d, generate_series(0, 24) h,
         unnest(array['a', 'b']) p, unnest(array['email', 'sms']) c, unnest(array['x', 'y']) t`,
    [carillon.tenantId],
  )
  const read = (query: string, limit?: number) => carillon.readAll(`/v1/metrics?${query}`, limit)
  const whole = await read('')
  expect(whole).toHaveLength(3 * 24 * 8)
  expect([whole[0].date, whole[0].hour, whole.at(-1).date, whole.at(-1).hour]).toEqual([
    '2026-01-03',
    23,
    '2026-01-01',
    0,
  ])
  expect(await read('', 7)).toEqual(whole)
  expect(await read('period=day', 5)).toHaveLength(3 * 8)
  expect(await read('from=2026-01-02&to=2026-01-02')).toHaveLength(24 * 8)
  expect(await read('provider=a&channel=sms&notification_type=y&from=2026-01-03')).toHaveLength(24)
  expect(problemOf(await carillon.request('GET', '/v1/metrics?from=yesterday')).errors?.[0]?.field).toBe(
    'from',
  )
  expect(problemOf(await carillon.request('GET', '/v1/metrics?cursor=WzFd')).code).toBe('invalid_cursor')
})

it('the monitoring views answer in SQL as the API does, each with its tenant first', {
  tags: 'S002-32',
}, async () => {
  await delivered('sent')
  await delivered('permanent', 'other')
  await age(await carillon.send({ send_at: '2040-01-01T00:00:00Z' }), '2 hours')
  await age(await carillon.send(), '2 hours')
  await rollUpMetrics(carillon.pool)
  const { last_24_hours, stuck, open_dead_letters, providers } = await overview()
  const ask = async (view: string) => {
    const { rows, fields } = await carillon.pool.query(`select * from ${view} where tenant_id = $1`, [
      carillon.tenantId,
    ])
    expect(fields[0]!.name).toBe('tenant_id')
    return rows.map(({ tenant_id: _, ...row }) => row)
  }
  const statuses = (await ask('monitoring_status_24h')).map(row => [row.status, Number(row.count)])
  expect(Object.fromEntries(statuses)).toEqual(last_24_hours)
  expect(last_24_hours).toMatchObject({ sent: 1, failed: 1, pending: 2 })
  expect(await ask('monitoring_stuck')).toMatchObject([{ status: 'pending', attempt_count: 0 }])
  expect(stuck.count).toBe(1)
  expect(await ask('monitoring_dead_letters')).toMatchObject([{ count: String(open_dead_letters.count) }])
  const byName = (rows: { provider: string }[]) =>
    rows.toSorted((a, b) => a.provider.localeCompare(b.provider))
  expect(byName((await ask('monitoring_providers_1h')) as { provider: string }[])).toEqual(byName(providers))
})
