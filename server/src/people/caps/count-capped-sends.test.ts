import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue, letLeasesRunOut } from '../../../test/claim-due.ts'
import { createPool } from '../../platform/database/pool.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type CappedPeriod, countCappedSends } from './count-capped-sends.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
const NOON = new Date('2026-05-05T12:10:00Z')
const LATER = new Date('2026-05-05T13:10:00Z')
const hour = (max: number): CappedPeriod => ({ per: 'hour', category: '', period: 'h', max })
const DAY: CappedPeriod = { per: 'day', category: '', period: '2026-05-05', max: 50 }
const NEWS: CappedPeriod = { per: 'week', category: 'news', period: '2026-05-04', max: 10 }

beforeAll(async () => {
  await carillon.putType('newsletter', { channels: ['email'], category: 'news' })
  await carillon.putType('alarm', { channels: ['email'], category: 'news', critical: true })
})

async function capped(user: string, email: object): Promise<void> {
  await carillon.putUser(user, { email: `${user}@example.com`, timezone: 'UTC' })
  const body = { channels: { email } }
  expect((await carillon.request('PUT', `/v1/users/${user}/preferences`, { body })).status).toBe(200)
}

const tell = (user: string, notification_type = 'plain') =>
  carillon.send({ notification_type, audience: { kind: 'users', user_ids: [user] }, channels: ['email'] })

/** What becomes of messages, one after the other, each of a type. */
async function deliver(user: string, types: string[], now: Date, outcome = SENT): Promise<string[]> {
  const worker = carillon.deliver(() => outcome, { now: () => now })
  const seen: string[] = []
  for (const type of types) {
    const [route] = await carillon.settled(await tell(user, type), 'sent', 'skipped', 'dead', 'retrying')
    seen.push(route!.reason || route!.status)
  }
  await worker.stop()
  return seen
}

const countsOf = async (user: string) =>
  (
    await carillon.pool.query(
      `select per, category, used from capped_sends where user_id = $1
       union all select 'whole day', '', used from daily_sends where user_id = $1 order by 1, 2`,
      [user],
    )
  ).rows.map(({ per, category, used }) => [per, category, used])

it('two connections that ask at once get as much as each cap allows, and no more', {
  tags: 'S002-19',
}, async () => {
  const pools = [1, 2].map(() => createPool(carillon.url, { max: 1 }))
  const ask = (pool: (typeof pools)[number], count: number) =>
    countCappedSends(
      pool,
      'worker',
      Array.from({ length: count }, (_, i) => ({
        route: {
          tenant_id: carillon.tenantId,
          notification_id: '0197f2a0-0000-7000-8000-000000000002',
          route_id: `r${i}`,
          claim_count: 1,
          user_id: `asked-${i % 3}`,
          channel: 'email' as const,
        },
        periods: i % 2 === 0 ? [DAY, NEWS] : [hour(40), DAY],
      })),
    )
  const granted = { day: [0, 0, 0], news: [0, 0, 0] }
  for (let round = 0; round < 12; round++) {
    const answers = await Promise.all(pools.flatMap(pool => [ask(pool, 9), ask(pool, 15)]))
    for (const answer of answers)
      answer.forEach((refused, i) => {
        if (refused.length > 0) return
        granted.day[i % 3]! += 1
        if (i % 2 === 0) granted.news[i % 3]! += 1
      })
  }
  await Promise.all(pools.map(pool => pool.end()))
  expect(granted).toEqual({ day: [50, 50, 50], news: [10, 10, 10] })
  expect(await countsOf('asked-1')).toEqual([
    ['hour', '', 40],
    ['week', 'news', 10],
    ['whole day', '', 50],
  ])
})

it('an hourly cap holds for all workers together', async () => {
  await capped('busy', { frequency_cap: 9, caps: [{ per: 'hour', max: 5 }] })
  const ids = await Promise.all(Array.from({ length: 30 }, () => tell('busy')))
  const workers = [1, 2, 3].map(() => carillon.deliver(() => SENT, { now: () => NOON, concurrency: 4 }))
  const reasons: string[] = []
  for (const id of ids) reasons.push((await carillon.settled(id, 'sent', 'skipped'))[0]!.reason)
  await Promise.all(workers.map(worker => worker.stop()))
  expect(reasons.filter(reason => reason === '').length).toBe(5)
  expect(reasons.filter(reason => reason === 'frequency_cap').length).toBe(25)
  expect(await countsOf('busy')).toEqual([
    ['hour', '', 5],
    ['whole day', '', 5],
  ])
})

it('each cap applies for itself: an hour starts anew while the day and a category go on', async () => {
  const caps = [
    { per: 'hour', max: 2 },
    { per: 'week', max: 1, category: 'news' },
  ]
  await capped('ann', { frequency_cap: 3, caps })
  expect(await deliver('ann', ['newsletter', 'newsletter', 'plain', 'plain', 'alarm'], NOON)).toEqual([
    'sent',
    'frequency_cap',
    'sent',
    'frequency_cap',
    'sent',
  ])
  expect(await deliver('ann', ['plain', 'plain'], LATER)).toEqual(['sent', 'frequency_cap'])
  const tomorrow = new Date('2026-05-06T12:00:00Z')
  expect(await deliver('ann', ['newsletter', 'plain'], tomorrow)).toEqual(['frequency_cap', 'sent'])
  expect(await deliver('ann', ['newsletter'], new Date('2026-05-11T00:00:00Z'))).toEqual(['sent'])
})

it('a cap set in the middle of a period counts what was sent before, but nothing critical', async () => {
  await carillon.putUser('late', { email: 'late@example.com', timezone: 'UTC' })
  const now = new Date()
  expect(await deliver('late', ['newsletter', 'plain', 'alarm'], now)).toEqual(['sent', 'sent', 'sent'])
  const caps = [
    { per: 'week', max: 3 },
    { per: 'day', max: 2, category: 'news' },
  ]
  await capped('late', { caps })
  expect(await countsOf('late')).toEqual([
    ['day', 'news', 1],
    ['week', '', 2],
  ])
})

it('caps count what may have arrived, and not what certainly did not', async () => {
  await capped('unlucky', { frequency_cap: 5, caps: [{ per: 'hour', max: 3 }] })
  const outcomes: [Outcome, number][] = [
    [{ kind: 'permanent', message: 'no such mailbox' }, 0],
    [{ kind: 'retry', message: 'away' }, 0],
    [{ kind: 'uncertain', message: 'no answer' }, 1],
  ]
  for (const [outcome, used] of outcomes) {
    await deliver('unlucky', ['plain'], NOON, outcome)
    expect([outcome.kind, await countsOf('unlucky')]).toEqual([
      outcome.kind,
      [
        ['hour', '', used],
        ['whole day', '', used],
      ],
    ])
  }
})

it('a dead worker’s counts stay with its route, which is sent without counting again', async () => {
  await capped('orphan', { frequency_cap: 1, caps: [{ per: 'week', max: 1 }] })
  const id = await tell('orphan')
  const route = (await claimDue(carillon.pool, 'email', 'doomed', 500)).find(
    each => each.notification_id === id,
  )!
  const periods: CappedPeriod[] = [
    { per: 'week', category: '', period: '2026-05-04', max: 1 },
    { ...DAY, max: 1 },
  ]
  expect(await countCappedSends(carillon.pool, 'doomed', [{ route, periods }])).toEqual([[]])
  await letLeasesRunOut(carillon.pool)
  const worker = carillon.deliver(() => SENT, { now: () => NOON })
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect(await countsOf('orphan')).toEqual([
    ['week', '', 1],
    ['whole day', '', 1],
  ])
})

it('counts under caps are deleted with their person', async () => {
  await capped('gone', { caps: [{ per: 'hour', max: 1 }] })
  await deliver('gone', ['plain'], NOON)
  await carillon.request('DELETE', '/v1/users/gone')
  expect(await countsOf('gone')).toEqual([])
})
