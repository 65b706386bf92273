import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue } from '../../../test/claim-due.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Completion, completeRoutes } from '../routes/complete.ts'
import { extendLeases, releaseLeases } from '../routes/leases.ts'

const carillon = useCarillon()
const SENT: Outcome = { kind: 'sent' }
const claim = (owner: string) => claimDue(carillon.pool, 'email', owner)
/** A second ago: times are kept to the millisecond, and now() may be rounded into the future of the next statement. */
const letLeasesRunOut = () =>
  carillon.pool.query(
    `update routes set lease_until = now() - interval '1 second' where lease_owner is not null`,
  )

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

describe('leases', () => {
  it('two workers claiming at once never hold one route', { tags: 'S000-20' }, async () => {
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

  it('a dead holder’s route is taken over after the lease, its attempt logged as lost', {
    tags: 'S000-20',
  }, async () => {
    const id = await carillon.send()
    const [held] = await claim('dead worker')
    expect(await claim('other')).toEqual([])
    await letLeasesRunOut()
    const [taken] = await claim('other')
    expect(taken).toMatchObject({ notification_id: id, attempt_count: 2, claim_count: 2 })

    expect(await completeRoutes(carillon.pool, 'dead worker', [sentBy(held!)])).toEqual([])
    expect((await carillon.routesOf(id))[0]!.status).toBe('pending')
    expect(await completeRoutes(carillon.pool, 'other', [sentBy(taken!)])).toHaveLength(1)
    const attempts = await carillon.pool.query(
      'select attempt_no, outcome, worker from route_attempts where notification_id = $1 order by attempt_no',
      [id],
    )
    expect(attempts.rows).toEqual([
      { attempt_no: 1, outcome: 'lost', worker: 'dead worker' },
      { attempt_no: 2, outcome: 'sent', worker: 'other' },
    ])
  })

  it('a worker that lost its lease and claimed again cannot complete with the old claim', async () => {
    await carillon.send()
    const [first] = await claim('same')
    await letLeasesRunOut()
    const [second] = await claim('same')
    expect(await completeRoutes(carillon.pool, 'same', [sentBy(first!)])).toEqual([])
    const both = [sentBy(first!), sentBy(second!)]
    expect(await completeRoutes(carillon.pool, 'same', both)).toMatchObject([{ claim_count: 2 }])
  })

  it('extending keeps the lease; only its owner can extend it', async () => {
    await carillon.send()
    const [held] = await claim('alive')
    await letLeasesRunOut()
    await extendLeases(carillon.pool, [held!], 'somebody else', 30)
    await extendLeases(carillon.pool, [held!], 'alive', 30)
    expect(await claim('other')).toEqual([])
    await completeRoutes(carillon.pool, 'alive', [sentBy(held!)])
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

  it('a poison message that kills every worker ends as a dead letter, not as an endless loop', async () => {
    await carillon.request('PUT', '/v1/notification-types/poison', {
      body: { channels: ['email'], max_attempts: { email: 2 } },
    })
    const id = await carillon.send({ notification_type: 'poison' })
    for (const owner of ['first victim', 'second victim']) {
      expect(await claim(owner)).toHaveLength(1)
      await letLeasesRunOut()
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

  it('stopping finishes what is in flight', async () => {
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

  it('stopping aborts what does not finish, and gives the route back at once', async () => {
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
    const row = (
      await carillon.pool.query('select lease_owner, status from routes where notification_id = $1', [id])
    ).rows[0]
    expect(row).toEqual({ lease_owner: null, status: 'pending' })
    expect(await claim('next')).toHaveLength(1)
    expect(await releaseLeases(carillon.pool, 'next')).toBe(1)
  })
})
