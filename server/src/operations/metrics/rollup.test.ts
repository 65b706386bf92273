import { expect, it } from 'vitest'
import { createWake } from '../../platform/queue/wake.ts'
import { useFigures } from './figures.fixture.ts'
import { createMetricsRollup } from './rollup.ts'

const { carillon, addRoutes, rollUp, hourly, daily, age } = useFigures()

it('an hour has one row of figures per provider, channel and type, by when intents were accepted', {
  tags: 'S002-23',
}, async () => {
  await addRoutes({ hoursAgo: 3, minute: 0, count: 3, deliveryMs: 50 })
  await addRoutes({ hoursAgo: 3, minute: 59, count: 1, deliveryMs: 250 })
  await addRoutes({ hoursAgo: 3, count: 2, status: 'dead' })
  await addRoutes({ hoursAgo: 3, count: 1, status: 'retrying' })
  await addRoutes({ hoursAgo: 3, count: 5, provider: 'twilio', channel: 'sms', type: 'code' })
  await addRoutes({ hoursAgo: 3, count: 4, provider: '', status: 'pending' })
  for (const status of ['skipped', 'cancelled', 'expired'])
    await addRoutes({ hoursAgo: 3, provider: '', status })
  await addRoutes({ hoursAgo: 4, minute: 59 })
  await addRoutes({ hoursAgo: 2, minute: 0 })
  await rollUp()
  const start = new Date(Date.now() - 3 * 3_600_000)
  const rows = (await hourly()).filter(row => row.hour === start.getUTCHours())
  const common = {
    date: start.toISOString().slice(0, 10),
    hour: start.getUTCHours(),
    updated_at: expect.any(String),
  }
  const none = {
    sent: 0,
    failed: 0,
    pending: 0,
    skipped: 0,
    cancelled: 0,
    expired: 0,
    avg_delivery_ms: null,
  }
  expect(rows).toEqual([
    {
      ...common,
      ...none,
      provider: '',
      channel: 'email',
      notification_type: 'welcome',
      pending: 4,
      skipped: 1,
      cancelled: 1,
      expired: 1,
    },
    {
      ...common,
      ...none,
      provider: 'smtp',
      channel: 'email',
      notification_type: 'welcome',
      sent: 4,
      failed: 2,
      pending: 1,
      avg_delivery_ms: 100,
    },
    {
      ...common,
      ...none,
      provider: 'twilio',
      channel: 'sms',
      notification_type: 'code',
      sent: 5,
      avg_delivery_ms: 100,
    },
  ])
})

it('the figures of an hour are the same when counted again', { tags: 'S002-23' }, async () => {
  for (let hour = 0; hour < 30; hour++) {
    await addRoutes({ hoursAgo: hour, count: 1 + (hour % 4), deliveryMs: 10 + hour })
    await addRoutes({ hoursAgo: hour, status: hour % 2 === 0 ? 'dead' : 'pending' })
  }
  const everything = async () => {
    const { rows } = await carillon.pool.query(
      `select to_jsonb(m) - 'updated_at' as row from notification_metrics m order by m.date, m.hour, m.provider`,
    )
    return rows
  }
  await rollUp()
  const first = await everything()
  expect(first.length).toBeGreaterThan(30)
  await age('3 days')
  expect(await rollUp()).toBeGreaterThanOrEqual(30)
  expect(await everything()).toEqual(first)
  await carillon.pool.query('delete from notification_metrics')
  await rollUp()
  const withoutBirth = (rows: { row: object }[]) => rows.map(({ row }) => ({ ...row, created_at: null }))
  expect(withoutBirth(await everything())).toEqual(withoutBirth(first))
})

it('the figures of a day equal the sum of its hours, with the weighted average', {
  tags: 'S002-23',
}, async () => {
  for (let hour = 0; hour < 50; hour++) {
    await addRoutes({ hoursAgo: hour, count: 1 + (hour % 7), deliveryMs: 37 * hour })
    await addRoutes({ hoursAgo: hour, count: hour % 3, status: 'dead', provider: 'ses' })
  }
  await rollUp()
  const { rows } = await carillon.pool.query(
    `select d.date, d.provider,
         (d.sent, d.failed, d.pending, d.skipped, d.cancelled, d.expired, d.avg_delivery_ms)::text as day,
         (sum(h.sent), sum(h.failed), sum(h.pending), sum(h.skipped), sum(h.cancelled), sum(h.expired),
           sum(h.delivery_ms_total)::bigint / nullif(sum(h.sent), 0)::bigint)::text as hours
       from notification_metrics d join notification_metrics h using (tenant_id, date, provider, channel, notification_type)
       where d.hour is null and h.hour is not null
       group by d.date, d.provider, d.sent, d.failed, d.pending, d.skipped, d.cancelled, d.expired, d.avg_delivery_ms`,
  )
  expect(rows.length).toBeGreaterThanOrEqual(6)
  for (const row of rows) expect(row.day).toBe(row.hours)
  const total = (list: { sent: number }[]) => list.reduce((sum, row) => sum + row.sent, 0)
  expect(total(await daily())).toBe(total(await hourly()))
})

it('the delivery time does not include the wait until send_at', async () => {
  await addRoutes({ hoursAgo: 2, deliveryMs: 80, sendLater: true })
  await rollUp()
  expect((await hourly())[0].avg_delivery_ms).toBe(80)
})

it('a route that was pending and is sent moves from one row of figures to another', async () => {
  const id = await carillon.send()
  await rollUp()
  expect(await hourly()).toMatchObject([{ provider: '', pending: 1, sent: 0 }])
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  await carillon.settled(id, 'sent')
  await worker.stop()
  await rollUp()
  expect(await hourly()).toMatchObject([{ provider: 'test', pending: 0, sent: 1 }])
  expect(await daily()).toMatchObject([{ provider: 'test', pending: 0, sent: 1 }])
})

it('the rollup service counts on start and when woken, survives a failing round, and stops', async () => {
  const errors: unknown[] = []
  const wake = createWake()
  const rollup = createMetricsRollup({
    pool: carillon.pool,
    wake,
    intervalMs: 3_600_000,
    now: () => 0,
    onError: error => void errors.push(error),
  })
  await addRoutes({ hoursAgo: 0, minute: 0 })
  await rollup.start()
  await expect.poll(async () => (await hourly()).length).toBe(1)
  await carillon.pool.query('alter table notification_metrics rename to hidden')
  wake.call()
  await expect.poll(() => errors.length).toBe(1)
  await carillon.pool.query('alter table hidden rename to notification_metrics')
  await addRoutes({ hoursAgo: 0, minute: 0, provider: 'late' })
  wake.call()
  await expect.poll(async () => (await hourly()).length).toBe(2)
  await rollup.stop()
  await rollup.stop()
})

it.each([
  ['its interval when counting is quick', 2000, 60_000],
  ['twenty times as long as counting took', 4000, 80_000],
])('the rollup service rests %s', async (_what, tookMs, restMs) => {
  const rests: number[] = []
  const wake = createWake()
  const wait = (ms: number) => {
    rests.push(ms)
    return wake.wait(ms)
  }
  let asked = 0
  const rollup = createMetricsRollup({
    pool: carillon.pool,
    wake: { call: wake.call, wait },
    intervalMs: 60_000,
    now: () => asked++ * tookMs,
    onError: () => {},
  })
  await rollup.start()
  await expect.poll(() => rests).toEqual([restMs])
  await rollup.stop()
})
