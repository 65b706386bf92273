import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue, letLeasesRunOut } from '../../../test/claim-due.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool } from '../../platform/database/pool.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { countSends } from './count-sends.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
const DAY = '2026-05-05'
const NOON = () => new Date(`${DAY}T12:00:00Z`)
const countOf = async (user: string, day = DAY): Promise<number | undefined> =>
  (await carillon.pool.query('select used from daily_sends where user_id = $1 and day = $2', [user, day]))
    .rows[0]?.used
const to = (user: string) => ({ audience: { kind: 'users', user_ids: [user] }, channels: ['email'] })

async function capped(user: string, frequency_cap: number, timezone = 'UTC'): Promise<void> {
  await carillon.putUser(user, { email: `${user}@example.com`, timezone })
  const body = { channels: { email: { frequency_cap } } }
  await carillon.request('PUT', `/v1/users/${user}/preferences`, { body })
}

async function sendMany(user: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => carillon.send(to(user))))
}

async function statusesOf(ids: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const id of ids) {
    const [route] = await carillon.settled(id, 'sent', 'skipped', 'dead', 'retrying')
    const key = route!.reason === '' ? route!.status : `${route!.status} ${route!.reason}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

it('two connections that ask at once never get more than the daily cap', {
  tags: 'S002-19',
}, async () => {
  const pools = [1, 2].map(() => createPool(carillon.url, { max: 1 }))
  const ask = (pool: (typeof pools)[number], count: number) =>
    countSends(
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
        day: DAY,
        cap: 50,
      })),
    )
  const granted = [0, 0, 0]
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(pools.flatMap(pool => [ask(pool, 9), ask(pool, 15)]))
    for (const answer of answers)
      answer.forEach((isAllowed, i) => {
        if (isAllowed) granted[i % 3]! += 1
      })
  }
  await Promise.all(pools.map(pool => pool.end()))
  expect(granted).toEqual([50, 50, 50])
  expect(await countOf('asked-1')).toBe(50)
})

it('four workers with 60 mails under a cap of 7 send 7, and use no attempt for the others', {
  tags: 'S002-19',
}, async () => {
  await capped('busy', 7)
  const ids = await sendMany('busy', 60)
  let sends = 0
  const workers = [1, 2, 3, 4].map(() =>
    carillon.deliver(
      () => {
        sends++
        return SENT
      },
      { now: NOON, concurrency: 5 },
    ),
  )
  expect(await statusesOf(ids)).toEqual({ sent: 7, 'skipped frequency_cap': 53 })
  await Promise.all(workers.map(worker => worker.stop()))
  expect([sends, await countOf('busy')]).toEqual([7, 7])
  const skipped = await carillon.readAll('/v1/routes?user_id=busy&status=skipped')
  expect(skipped.map(route => route.attempt_count)).toEqual(Array(53).fill(0))
})

it('a daily cap set during the day counts what was sent before, but nothing critical', {
  tags: 'S002-19',
}, async () => {
  await carillon.putUser('late', { email: 'late@example.com', timezone: 'Asia/Tokyo' })
  await carillon.putType('alarm', { channels: ['email'], critical: true })
  const worker = carillon.deliver(() => SENT, { now: () => new Date() })
  const before = [
    ...(await sendMany('late', 2)),
    await carillon.send({ ...to('late'), notification_type: 'alarm' }),
  ]
  expect(await statusesOf(before)).toEqual({ sent: 3 })
  const [old] = await sendMany('late', 1)
  await carillon.settled(old!, 'sent')
  const makeOld = "update routes set sent_at = sent_at - interval '2 days' where notification_id = $1"
  await carillon.pool.query(makeOld, [old])
  await capped('late', 3, 'Asia/Tokyo')
  const after = []
  for (let n = 0; n < 3; n++) {
    const id = await carillon.send(to('late'))
    await carillon.settled(id, 'sent', 'skipped')
    after.push(id)
  }
  expect(await statusesOf(after)).toEqual({ sent: 1, 'skipped frequency_cap': 2 })
  await worker.stop()
})

it('the daily cap starts again from zero on the next local day', { tags: 'S002-19' }, async () => {
  await capped('daily', 1)
  const worker = carillon.deliver(() => SENT, { now: NOON })
  expect(await statusesOf(await sendMany('daily', 2))).toEqual({ sent: 1, 'skipped frequency_cap': 1 })
  await worker.stop()
  const tomorrow = carillon.deliver(() => SENT, { now: () => new Date('2026-05-06T00:00:00Z') })
  expect(await statusesOf(await sendMany('daily', 1))).toEqual({ sent: 1 })
  await tomorrow.stop()
})

it('the daily cap counts what may have arrived, and not what certainly did not', async () => {
  await capped('unlucky', 1)
  const answers: Outcome[] = [
    { kind: 'permanent', message: 'no such mailbox' },
    { kind: 'retry', message: 'away' },
    { kind: 'uncertain', message: 'no answer' },
  ]
  for (const [i, answer] of answers.entries()) {
    const worker = carillon.deliver(() => answer, { now: NOON })
    await statusesOf([await carillon.send(to('unlucky'))])
    await worker.stop()
    expect([answer.kind, await countOf('unlucky')]).toEqual([answer.kind, i === 2 ? 1 : 0])
  }
  const worker = carillon.deliver(() => SENT, { now: NOON })
  expect(await statusesOf([await carillon.send(to('unlucky'))])).toEqual({ 'skipped frequency_cap': 1 })
  // The uncertain one is repeated, as it is still counted; the other one no longer is.
  await carillon.skipWaiting()
  const finished = await waitFor(
    async () => {
      const routes = await carillon.readAll('/v1/routes?user_id=unlucky')
      return routes.length === 4 && routes.every(route => route.finished_at !== null) && routes
    },
    { what: 'all four to be finished' },
  )
  await worker.stop()
  expect(finished.map(({ status, reason }) => `${status} ${reason}`.trim()).sort()).toEqual([
    'dead',
    'sent',
    'skipped frequency_cap',
    'skipped frequency_cap',
  ])
  expect(await countOf('unlucky')).toBe(1)
})

it('a dead worker’s count stays with its route, which is sent without counting again', async () => {
  await capped('orphan', 1)
  const id = await carillon.send(to('orphan'))
  const route = (await claimDue(carillon.pool, 'email', 'doomed', 500)).find(
    each => each.notification_id === id,
  )!
  expect(await countSends(carillon.pool, 'doomed', [{ route, day: DAY, cap: 1 }])).toEqual([true])
  await letLeasesRunOut(carillon.pool)
  const worker = carillon.deliver(() => SENT, { now: NOON })
  expect(await statusesOf([id])).toEqual({ sent: 1 })
  await worker.stop()
  expect(await countOf('orphan')).toBe(1)
})
