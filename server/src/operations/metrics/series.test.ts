import type { MetricSeries } from '@carillon/contract'
import { expect, it } from 'vitest'
import { problemOf } from '../../../test/carillon.ts'
import { useFigures } from './figures.fixture.ts'

const { carillon, addRoutes, rollUp } = useFigures()
const HOUR = 3_600_000
const thisHour = () => Math.floor(Date.now() / HOUR) * HOUR
const iso = (at: number) => new Date(at).toISOString()
const ask = (query: Record<string, string>, key = carillon.key) =>
  carillon.request('GET', `/v1/metrics/series?${new URLSearchParams(query)}`, { key })
const series = async (query: Record<string, string>, key?: string): Promise<MetricSeries> =>
  (await ask(query, key)).body
const lastHours = (hours: number) => ({
  from: iso(thisHour() - (hours - 1) * HOUR),
  to: iso(thisHour() + HOUR),
})
const ZEROS = {
  sent: 0,
  failed: 0,
  pending: 0,
  skipped: 0,
  cancelled: 0,
  expired: 0,
  p50_ms: null,
  p95_ms: null,
}

it('a series of metrics has every hour, with zeros where nothing happened', async () => {
  const { points, totals, ...rest } = await series({ ...lastHours(3), step: 'hour' })
  expect(rest).toEqual({ step: 'hour', ...lastHours(3) })
  expect(points).toEqual([2, 1, 0].map(ago => ({ at: iso(thisHour() - ago * HOUR), ...ZEROS })))
  expect(totals).toEqual(ZEROS)
})

it('a series sums providers, channels and types, with percentiles of all of them together', async () => {
  await addRoutes({ hoursAgo: 2, count: 60, deliveryMs: 100 })
  await addRoutes({
    hoursAgo: 2,
    count: 40,
    deliveryMs: 4000,
    provider: 'ses',
    channel: 'sms',
    type: 'other',
  })
  await addRoutes({ hoursAgo: 1, count: 3, status: 'dead' })
  await addRoutes({ hoursAgo: 1, count: 2, status: 'skipped' })
  await rollUp()
  const { points, totals } = await series(lastHours(3))
  expect(points[0]).toMatchObject({ sent: 100, failed: 0 })
  expect(points[0]!.p50_ms! / 100).toBeCloseTo(1, 0)
  expect(points[0]!.p95_ms! / 4000).toBeCloseTo(1, 0)
  expect(points[1]).toEqual({ at: iso(thisHour() - HOUR), ...ZEROS, failed: 3, skipped: 2 })
  expect(totals).toMatchObject({ sent: 100, failed: 3, skipped: 2, p50_ms: points[0]!.p50_ms })
  const only = async (filter: Record<string, string>) =>
    (await series({ ...lastHours(3), ...filter })).totals.sent
  expect(await only({ provider: 'ses' })).toBe(40)
  expect(await only({ channel: 'email' })).toBe(60)
  expect(await only({ notification_type: 'other' })).toBe(40)
  expect(await only({ notification_type: 'none' })).toBe(0)
})

it('a series counts the current hour at once, whether it was rolled up before or not', async () => {
  await addRoutes({ hoursAgo: 0, minute: 0, deliveryMs: 50 })
  const current = async () => (await series(lastHours(2))).points[1]!
  expect(await current()).toMatchObject({ sent: 1 })
  expect((await current()).p50_ms! / 50).toBeCloseTo(1, 0)
  await rollUp()
  await addRoutes({ hoursAgo: 0, minute: 0, status: 'pending' })
  expect(await current()).toMatchObject({ sent: 1, pending: 1 })
  expect((await series({ ...lastHours(2), step: 'day' })).totals).toMatchObject({ sent: 1, pending: 1 })
  expect((await series({ ...lastHours(2), channel: 'push' })).totals.sent).toBe(0)
})

it('a series of days sums the hours of each day, in UTC and in other time zones', async () => {
  for (const hoursAgo of [5, 20, 30, 47, 50]) await addRoutes({ hoursAgo, deliveryMs: 200 })
  await rollUp()
  for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']) {
    const query = { from: iso(thisHour() - 50 * HOUR), to: iso(thisHour() + HOUR), step: 'day', zone }
    const { points, totals } = await series(query)
    expect(totals.sent).toBe(5)
    expect(totals.p95_ms! / 200).toBeCloseTo(1, 0)
    const dayOf = (at: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(at)
    const expected = [5, 20, 30, 47, 50].map(ago => dayOf(thisHour() - ago * HOUR))
    for (const { at, sent } of points)
      expect([zone, at, sent]).toEqual([
        zone,
        at,
        expected.filter(day => day === dayOf(Date.parse(at))).length,
      ])
  }
})

it('a series has days of 23 and 25 hours where clocks change', async () => {
  const berlin = { step: 'day', zone: 'Europe/Berlin' }
  const starts = async (from: string, to: string) =>
    (await series({ from, to, ...berlin })).points.map(({ at }) => at.slice(0, 16))
  expect(await starts('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
    '2026-03-27T23:00',
    '2026-03-28T23:00',
    '2026-03-29T22:00',
  ])
  expect(await starts('2026-10-24T12:00:00Z', '2026-10-25T23:00:00Z')).toEqual([
    '2026-10-23T22:00',
    '2026-10-24T22:00',
  ])
})

it.each([
  ['to', { from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, /later than from/],
  ['to', { from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' }, /at most 1000 points/],
  ['to', { from: '2020-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z', step: 'day' }, /at most 1000 points/],
  ['from', { from: 'yesterday', to: '2026-03-01T00:00:00Z' }, /ISO 8601/],
  ['zone', { ...lastHours(1), zone: 'Mars/Olympus' }, /IANA/],
])('a series refuses %s of %o', async (field, query, message) => {
  const { status, errors } = problemOf(await ask(query))
  expect(status).toBe(400)
  expect(errors).toMatchObject([{ field, message: expect.stringMatching(message) }])
})

it('a series shows nothing of other tenants', async () => {
  await addRoutes({ hoursAgo: 1 })
  await addRoutes({ hoursAgo: 0, minute: 0 })
  await rollUp()
  const { key } = await carillon.createTenant('neighbour')
  expect((await series(lastHours(3), key)).totals).toEqual(ZEROS)
})
