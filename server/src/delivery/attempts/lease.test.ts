import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue, letLeasesRunOut } from '../../../test/claim-due.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Completion, completeRoutes } from '../routes/complete.ts'
import { extendLeases, releaseLeases } from '../routes/leases.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
const claim = (owner: string) => claimDue(carillon.pool, 'email', owner)

function sentBy(route: Awaited<ReturnType<typeof claim>>[number]): Completion {
  return {
    ...route,
    status: 'sent',
    delay_ms: null,
    uses_attempt: true,
    reason: '',
    outcome: 'sent',
    provider: 'test',
    provider_message_id: '',
    classification: '',
    message: '',
    failure_reason: null,
    recovery_hint: '',
    started_at: new Date().toISOString(),
    duration_ms: 1,
    calls: [],
    message_ref: '',
    suppress: '',
    gone_devices: [],
    tickets: [],
    reached_devices: [],
    returned_day: null,
    returned_periods: [],
    returned_throttle: null,
    settled_mail: null,
  }
}

it('workers that claim at once never hold the same route', { tags: 'S000-20' }, async () => {
  for (let i = 0; i < 40; i++) await carillon.send()
  const claims = await Promise.all(
    ['a', 'b', 'c', 'd'].map(owner => claimDue(carillon.pool, 'email', owner, 15)),
  )
  const held = claims.flat().map(route => route.notification_id)
  expect(new Set(held).size).toBe(held.length)
  expect(held).toHaveLength(40)
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((owner, i) => completeRoutes(carillon.pool, owner, claims[i]!.map(sentBy))),
  )
})

it('a dead worker’s route is taken over after its lease, and its attempt is logged as lost', {
  tags: 'S000-20',
}, async () => {
  const id = await carillon.send()
  const [held] = await claim('dead worker')
  expect(await claim('other')).toEqual([])
  await letLeasesRunOut(carillon.pool)
  const [taken] = await claim('other')
  expect(taken).toMatchObject({ notification_id: id, attempt_count: 2, claim_count: 2 })

  expect(await completeRoutes(carillon.pool, 'dead worker', [sentBy(held!)])).toEqual([])
  const [route] = await carillon.routesOf(id)
  expect(route!.status).toBe('pending')
  expect(await completeRoutes(carillon.pool, 'other', [sentBy(taken!)])).toHaveLength(1)
  expect(await carillon.attemptsOf(route!)).toMatchObject([
    { attempt_no: 1, outcome: 'lost', worker: 'dead worker' },
    { attempt_no: 2, outcome: 'sent', worker: 'other' },
  ])
})

it('a worker cannot complete a route with a claim older than its current one', async () => {
  await carillon.send()
  const [first] = await claim('same')
  await letLeasesRunOut(carillon.pool)
  const [second] = await claim('same')
  expect(await completeRoutes(carillon.pool, 'same', [sentBy(first!)])).toEqual([])
  const both = [sentBy(first!), sentBy(second!)]
  expect(await completeRoutes(carillon.pool, 'same', both)).toMatchObject([{ claim_count: 2 }])
})

it('only its owner can extend a lease', async () => {
  await carillon.send()
  const [held] = await claim('alive')
  await letLeasesRunOut(carillon.pool)
  await extendLeases(carillon.pool, [held!], 'alive', 30)
  expect(await claim('other')).toEqual([])
  await letLeasesRunOut(carillon.pool)
  await extendLeases(carillon.pool, [held!], 'other', 30)
  const [taken] = await claim('other')
  await completeRoutes(carillon.pool, 'other', [sentBy(taken!)])
})

it('a worker extends the lease of a long send beyond its first end', async () => {
  const id = await carillon.send()
  let calls = 0
  let finish = (_: Outcome) => {}
  const hanging = () => {
    calls++
    return new Promise<Outcome>(resolve => (finish = resolve))
  }
  const slow = carillon.deliver(hanging, { leaseSeconds: 0.3 })
  await waitFor(async () => calls === 1, { what: 'the send to start' })
  const other = carillon.deliver(hanging, { leaseSeconds: 0.3 })
  const heldFor = async () =>
    (
      await carillon.pool.query(
        'select extract(epoch from lease_until - created_at)::float8 as seconds from routes where notification_id = $1',
        [id],
      )
    ).rows[0].seconds
  await waitFor(async () => (await heldFor()) > 1.2, { what: 'the lease to be extended several times' })
  finish(SENT)
  const [route] = await carillon.settled(id, 'sent')
  expect(calls).toBe(1)
  expect(route!.attempt_count).toBe(1)
  await slow.stop()
  await other.stop()
})

it('a message that kills every worker ends as a dead letter', async () => {
  await carillon.request('PUT', '/v1/notification-types/poison', {
    body: { channels: ['email'], max_attempts: { email: 2 } },
  })
  const id = await carillon.send({ notification_type: 'poison' })
  for (const owner of ['first victim', 'second victim']) {
    expect(await claim(owner)).toHaveLength(1)
    await letLeasesRunOut(carillon.pool)
  }
  let calls = 0
  const worker = carillon.deliver(() => {
    calls++
    return SENT
  })
  const [route] = await carillon.settled(id, 'dead')
  await worker.stop()
  expect(calls).toBe(0)
  expect(route!.attempt_count).toBe(2)
  const letter = (await carillon.request('GET', '/v1/dead-letters?notification_type=poison')).body.data[0]
  expect(letter).toMatchObject({ failure_reason: 'worker_lost', final_attempt_count: 2 })
})

it('a stopping worker finishes what is in flight', async () => {
  const id = await carillon.send()
  let finish = (_: Outcome) => {}
  let started = false
  const worker = carillon.deliver(() => {
    started = true
    return new Promise<Outcome>(resolve => (finish = resolve))
  })
  await waitFor(async () => started, { what: 'the send to start' })
  const stopped = worker.stop()
  finish(SENT)
  await stopped
  expect((await carillon.routesOf(id))[0]!.status).toBe('sent')
})

it('a stopping worker aborts what does not finish, and gives the route back at once', async () => {
  const id = await carillon.send()
  let started = false
  const worker = carillon.deliver(
    {
      name: 'stuck',
      close: async () => {},
      send: () => {
        started = true
        return new Promise(() => {})
      },
    },
    { shutdownMs: 50 },
  )
  await waitFor(async () => started, { what: 'the send to start' })
  await worker.stop()
  expect((await carillon.routesOf(id))[0]!.status).toBe('pending')
  expect(await claim('next')).toMatchObject([{ notification_id: id }])
  expect(await releaseLeases(carillon.pool, 'next')).toBe(1)
})
