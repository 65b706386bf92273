import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { createWake } from '../queue/wake.ts'
import { createMetricsRollup, rollUpMetrics } from './rollup.ts'

const carillon = useCarillon()
const rollUp = () => rollUpMetrics(carillon.pool)
const hourly = (query = '') => carillon.readAll(`/v1/metrics?period=hour&${query}`)
const daily = (query = '') => carillon.readAll(`/v1/metrics?period=day&${query}`)

beforeEach(async () => {
  await carillon.pool.query('delete from records')
  await carillon.pool.query('delete from notification_metrics')
})

interface Made {
  /** When it was accepted: hours before this one began, and minutes into that hour. */
  hoursAgo: number
  minute?: number
  count?: number
  status?: string
  provider?: string
  channel?: string
  type?: string
  /** From creation to sending. */
  ms?: number
  sendLater?: boolean
}

/** Records with one route each, made as if they had come and gone. */
async function made(options: Made): Promise<void> {
  const { hoursAgo, minute = 30, count = 1, status = 'sent', provider = 'smtp', channel = 'email' } = options
  await carillon.pool.query(
    `with input as (
       select uuid_v7() as id, date_trunc('hour', now()) - make_interval(hours => $2::integer, mins => -$3::integer) as at
       from generate_series(1, $4::integer)
     ), kept as (
       insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels, payload_json,
         idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms, accepted_at,
         expanded_at, updated_at, send_at)
       select $1, id, $8::text, 'p', 'addresses', array[$7::text], '{}', id::text, '', now(), 'http', 1, 1, at, at, at,
         case when $10::boolean then at + interval '10 minutes' end from input
     )
     insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, status, provider, max_attempts,
       next_attempt_at, reason, created_at, updated_at, sent_at, dead_at, skipped_at, cancelled_at, expired_at)
     select $1, id, 'r', $7::text, '', $5::text, $6::text, 5, case when $5::text in ('pending', 'retrying') then now() end, 'because', at, at,
       case when $5::text = 'sent' then at + make_interval(secs => $9::float8 / 1000, mins => case when $10::boolean then 10 else 0 end) end,
       case when $5::text = 'dead' then at end, case when $5::text = 'skipped' then at end, case when $5::text = 'cancelled' then at end,
       case when $5::text = 'expired' then at end from input`,
    [
      carillon.tenantId,
      hoursAgo,
      minute,
      count,
      status,
      provider,
      channel,
      options.type ?? 'welcome',
      options.ms ?? 100,
      options.sendLater ?? false,
    ],
  )
}

const age = (interval: string) =>
  carillon.pool.query(`update notification_metrics set updated_at = now() - $1::interval`, [interval])
const counts = (rows: { sent: number; failed: number; pending: number }[]) =>
  rows.map(({ sent, failed, pending }) => [sent, failed, pending])

describe('the figures of an hour', () => {
  it('S002-23 are one row per provider, channel and type, by when the intent was accepted', async () => {
    await made({ hoursAgo: 3, minute: 0, count: 3, ms: 50 })
    await made({ hoursAgo: 3, minute: 59, count: 1, ms: 250 })
    await made({ hoursAgo: 3, count: 2, status: 'dead' })
    await made({ hoursAgo: 3, count: 1, status: 'retrying' })
    await made({ hoursAgo: 3, count: 5, provider: 'twilio', channel: 'sms', type: 'code' })
    await made({ hoursAgo: 3, count: 4, provider: '', status: 'pending' })
    for (const status of ['skipped', 'cancelled', 'expired'])
      await made({ hoursAgo: 3, provider: '', status })
    await made({ hoursAgo: 4, minute: 59 })
    await made({ hoursAgo: 2, minute: 0 })
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

  it('S002-23 are the same when counted again', async () => {
    for (let hour = 0; hour < 30; hour++) {
      await made({ hoursAgo: hour, count: 1 + (hour % 4), ms: 10 + hour })
      await made({ hoursAgo: hour, status: hour % 2 === 0 ? 'dead' : 'pending' })
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

  it('S002-23 the day equals the sum of its hours, the average by weight', async () => {
    for (let hour = 0; hour < 50; hour++) {
      await made({ hoursAgo: hour, count: 1 + (hour % 7), ms: 37 * hour })
      await made({ hoursAgo: hour, count: hour % 3, status: 'dead', provider: 'ses' })
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

  it('does not count the wait until send_at as delivery', async () => {
    await made({ hoursAgo: 2, ms: 80, sendLater: true })
    await rollUp()
    expect((await hourly())[0].avg_delivery_ms).toBe(80)
  })

  it('moves with the routes: what was pending and is sent leaves its old row', async () => {
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
})

describe('which hours are counted', () => {
  it('all of them at first and after a pause, however long ago', async () => {
    await made({ hoursAgo: 24 * 20 })
    await made({ hoursAgo: 24 * 10 })
    expect(await rollUp()).toBeGreaterThan(24 * 20)
    expect(await hourly()).toHaveLength(2)
    await made({ hoursAgo: 24 * 5 })
    await rollUp()
    expect(await hourly()).toHaveLength(3)
  })

  it('then only the current one, and those that may still change', async () => {
    for (const hoursAgo of [1, 5, 100, 101]) await made({ hoursAgo })
    await made({ hoursAgo: 101, status: 'pending' })
    await rollUp()
    const settle =
      "update routes set status = 'sent', sent_at = created_at, next_attempt_at = null where status = 'pending'"
    await carillon.pool.query(settle)
    await carillon.pool.query(
      "update routes set status = 'dead', dead_at = now(), sent_at = null where sent_at is not null",
    )
    await rollUp()
    expect(counts(await hourly())).toEqual([
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 1],
    ])
    await age('30 minutes')
    await rollUp()
    // an hour ago: the figures are older than a fifth of its age
    expect(counts(await hourly())).toEqual([
      [0, 1, 0],
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 1],
    ])
    await age('61 minutes')
    await rollUp()
    // five hours ago, and the one that had something open; a hundred hours ago everything was done
    expect(counts(await hourly())).toEqual([
      [0, 1, 0],
      [0, 1, 0],
      [1, 0, 0],
      [0, 2, 0],
    ])
  })

  it('again when a dead letter of an old hour is replayed', async () => {
    const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
    const id = await carillon.send()
    await carillon.settled(id, 'dead')
    await worker.stop()
    await carillon.pool.query("update records set accepted_at = now() - interval '5 days'")
    await rollUp()
    expect(counts(await hourly())).toEqual([[0, 1, 0]])
    const [letter] = await carillon.readAll('/v1/dead-letters')
    await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
    await rollUp()
    expect(counts(await hourly())).toEqual([[0, 0, 1]])
  })

  it('never one whose records retention may have begun to delete', async () => {
    await made({ hoursAgo: 24 * 40, count: 5, status: 'pending' })
    await rollUp()
    await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 30 } })
    await carillon.pool.query('delete from routes')
    await age('2 days')
    await rollUp()
    expect(counts(await hourly())).toEqual([[0, 0, 5]])
    await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 90 } })
  })

  it('S002-23 by one process at a time; another one passes over', async () => {
    await made({ hoursAgo: 1 })
    const holder = await carillon.pool.connect()
    await holder.query('begin')
    await holder.query("select pg_advisory_xact_lock(hashtextextended(format('metrics %s', $1::text), 0))", [
      carillon.tenantId,
    ])
    expect(await rollUp()).toBe(0)
    await holder.query('rollback')
    holder.release()
    const both = await Promise.all([rollUp(), rollUp()])
    expect(Math.max(...both)).toBe(2)
    expect(counts(await hourly())).toEqual([[1, 0, 0]])
  })

  it('S004-7 of each tenant apart', async () => {
    const { key } = await carillon.createTenant('counted elsewhere')
    await made({ hoursAgo: 1 })
    await rollUp()
    expect(await carillon.readAll('/v1/metrics', 100, key)).toEqual([])
  })
})

describe('the service', () => {
  it('counts on start and again after its interval, survives a failing round, and stops', async () => {
    const errors: unknown[] = []
    const wake = createWake()
    const rollup = createMetricsRollup({
      pool: carillon.pool,
      wake,
      intervalMs: 3_600_000,
      onError: error => void errors.push(error),
    })
    await made({ hoursAgo: 0, minute: 0 })
    await rollup.start()
    await expect.poll(async () => (await hourly()).length).toBe(1)
    await carillon.pool.query('alter table notification_metrics rename to hidden')
    wake.call()
    await expect.poll(() => errors.length).toBe(1)
    await carillon.pool.query('alter table hidden rename to notification_metrics')
    await made({ hoursAgo: 0, minute: 0, provider: 'late' })
    wake.call()
    await expect.poll(async () => (await hourly()).length).toBe(2)
    await rollup.stop()
    await rollup.stop()
  })
})
