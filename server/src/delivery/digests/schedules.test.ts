import type { DigestSchedule } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { claimDue } from '../../../test/claim-due.ts'
import { transaction } from '../../platform/database/pool.ts'
import { decideObstacle } from '../attempts/decide.ts'
import { completeRoutes } from '../routes/complete.ts'
import { DAILY, usePeople } from './people.fixture.ts'
import { closeDigest, joinDigests } from './queries.ts'

const carillon = useCarillon()
const { aPerson, choose, tell, deliverDue, deliverDigests } = usePeople(carillon)
const AN_ATTEMPT = {
  provider: '',
  calls: [],
  messageRef: '',
  startedAt: new Date(),
  durationMs: 1,
  random: 0,
  countedDay: null,
  countedIn: [],
  isReserved: false,
  note: '',
  reachedDevices: [],
}
const QUIET = { quiet_hours: { start: '22:00', end: '08:00' } }

beforeAll(async () => {
  await carillon.putType('comment', { channels: ['email'], category: 'talk' })
  await carillon.putType('alarm', { channels: ['email'], category: 'talk', critical: true })
  await carillon.putType('storm', {
    channels: ['email'],
    category: 'talk',
    digest: { window: 60, key: 'post', first_at_once: true },
  })
})

/** When the person's digests close. `askedAt` is when the gates were asked again, after a change. */
async function closingOf(user: string, askedAt?: Date): Promise<string[]> {
  const { rows } = await carillon.pool.query(
    `select d.closes_at, r.next_attempt_at, r.updated_at from digests d
     join routes r on r.tenant_id = d.tenant_id and r.notification_id = d.id where d.user_id = $1`,
    [user],
  )
  // What is asked again is postponed by the database's clock, which no test moves: for as long as there is left.
  for (const { closes_at, next_attempt_at, updated_at } of rows)
    if (askedAt) expect(next_attempt_at - updated_at).toBe(closes_at - askedAt.getTime())
    else expect(next_attempt_at).toEqual(closes_at)
  return rows.map(row => row.closes_at.toISOString())
}

it.each<[DigestSchedule, string]>([
  [{ every: 'hour' }, '2031-01-01T23:00:00.000Z'],
  [DAILY, '2031-01-02T07:00:00.000Z'],
  [{ every: 'week', on: 'friday', at: '16:30' }, '2031-01-03T15:30:00.000Z'],
])('the schedule %j gathers messages of a type without a digest until %s', async (schedule, closes) => {
  const user = await aPerson(schedule)
  const ids = [await tell(user, 'One'), await tell(user, 'Two')]
  expect(await deliverDue()).toEqual([])
  expect(await closingOf(user)).toEqual([closes])
  const { body } = await carillon.request('GET', `/v1/records/${ids[0]}/explain`)
  expect(JSON.stringify(body)).toMatch(
    /Gathered (hourly|daily at 08:00|weekly on friday at 16:30)\. It is part of/,
  )
  const sent = await deliverDigests(new Date(closes))
  expect(sent.map(({ user_id, subject, text }) => [user_id, subject, text])).toEqual([
    [user, '2 × Comment', '• One\n• Two'],
  ])
})

it('a digest gathers in quiet hours too, and goes out when they end', async () => {
  const user = await aPerson({ every: 'hour' }, QUIET)
  await tell(user, 'At night')
  expect(await deliverDue()).toEqual([])
  expect(await closingOf(user)).toEqual(['2031-01-01T23:00:00.000Z'])
  expect(await deliverDigests()).toEqual([])
  expect((await deliverDigests(new Date('2031-01-02T07:00:00Z'))).map(({ subject }) => subject)).toEqual([
    'At night',
  ])
})

it('a digest counts as one message under the daily cap, however much it gathers', async () => {
  const user = await aPerson(DAILY, { frequency_cap: 1 })
  for (const title of ['One', 'Two', 'Three']) await tell(user, title)
  await deliverDue()
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['3 × Comment'])
})

it('a schedule for digests holds back no critical types, other categories or other channels', async () => {
  await carillon.putType('plain', { channels: ['email'], category: 'other' })
  await carillon.putType('inbox', { channels: ['in_app'], category: 'talk' })
  const user = await aPerson(DAILY)
  await tell(user, 'Alarm', { notification_type: 'alarm' })
  await tell(user, 'Plain', { notification_type: 'plain' })
  await tell(user, 'Inbox', { notification_type: 'inbox' })
  const sent = await deliverDue()
  expect(sent.map(({ subject }) => subject).sort()).toEqual(['Alarm', 'Inbox', 'Plain'])
})

it('a person’s schedule wins over the type’s own digest and keeps the type’s key', async () => {
  const user = await aPerson(DAILY)
  for (const [title, post] of [
    ['One', 'p1'],
    ['Two', 'p2'],
    ['Three', 'p1'],
  ] as const)
    await tell(user, title, { notification_type: 'storm', payload: { title, post } })
  expect(await deliverDue()).toEqual([])
  expect(await closingOf(user)).toEqual(Array(2).fill('2031-01-02T07:00:00.000Z'))
  expect((await deliverDigests()).map(({ subject }) => subject).sort()).toEqual(['2 × Storm', 'Two'])
})

it('the tenant’s default schedule holds until a person chooses, be it "message"', async () => {
  const digests = { talk: { email: { every: 'day', at: '07:00' } } }
  await carillon.request('PUT', '/v1/preferences', { body: { digests } })
  const [silent, eager] = [await aPerson(undefined), await aPerson({ every: 'message' })]
  const id = await tell(silent, 'Later')
  await tell(eager, 'Now')
  expect((await deliverDue()).map(({ subject }) => subject)).toEqual(['Now'])
  expect(await closingOf(silent)).toEqual(['2031-01-02T06:00:00.000Z'])
  const { body } = await carillon.request('GET', `/v1/records/${id}/explain`)
  expect(JSON.stringify(body)).toContain('Gathered daily at 07:00 by default')
  await carillon.request('PUT', '/v1/preferences', { body: {} })
  await deliverDigests()
})

it('a message whose deadline is before its digest expires at once', async () => {
  const user = await aPerson({ every: 'week', on: 'monday', at: '08:00' })
  const id = await tell(user, 'Short-lived', { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
  expect(await deliverDue()).toEqual([])
  expect((await carillon.routesOf(id))[0]).toMatchObject({ status: 'expired', reason: 'deadline' })
  expect(await closingOf(user)).toEqual([])
})

it('simulate predicts a digest and opens none', async () => {
  const user = await aPerson({ every: 'hour' })
  const { body } = await carillon.request('POST', '/v1/intents/simulate', {
    body: {
      notification_type: 'comment',
      producer: 'test',
      audience: { kind: 'users', user_ids: [user] },
      payload: { title: 'Maybe' },
    },
  })
  expect(body.people[0].routes[0]).toMatchObject({ status: 'skipped', reason: 'digested' })
  expect(await closingOf(user)).toEqual([])
})

it('an earlier time brings an open digest forward, and a later one does not move it', async () => {
  const user = await aPerson({ every: 'week', on: 'friday', at: '16:30' })
  // Not on the hour, at which a digest that was opened just before it would go out.
  const now = new Date('2031-01-01T22:10:00Z')
  await tell(user, 'One')
  await deliverDue(now)
  await choose(user, { every: 'hour' })
  const expires_at = new Date(Date.now() + 2 * 3_600_000).toISOString()
  const id = await tell(user, 'Two', { expires_at })
  expect(await deliverDue(now)).toEqual([])
  expect(await closingOf(user, now)).toEqual(['2031-01-01T23:00:00.000Z'])
  const { body } = await carillon.request('GET', `/v1/records/${id}/explain`)
  expect(JSON.stringify(body)).toContain('which goes out at 2031-01-01T23:00:00.000Z')
  // A later time does not move an open digest.
  await choose(user, DAILY)
  await tell(user, 'Three')
  await deliverDue(now)
  expect(await closingOf(user, now)).toEqual(['2031-01-01T23:00:00.000Z'])
  expect((await deliverDigests()).map(({ text }) => text)).toEqual(['• One\n• Two\n• Three'])
})

it('the schedule "message" overrides the type’s digest only for people who chose it', async () => {
  const [eager, silent] = [await aPerson({ every: 'message' }), await aPerson(undefined)]
  for (const user of [eager, silent])
    for (const title of ['One', 'Two']) await tell(user, title, { notification_type: 'storm' })
  const sent = (await deliverDue()).map(({ user_id, subject }) => `${user_id} ${subject}`)
  expect(sent.sort()).toEqual([`${eager} One`, `${eager} Two`, `${silent} One`].sort())
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['Two'])
})

it('items that expired before their digest went out are marked as expired', async () => {
  const user = await aPerson({ every: 'hour' })
  const expires_at = new Date(Date.now() + 2 * 3_600_000).toISOString()
  const ids = [await tell(user, 'Short-lived', { expires_at }), await tell(user, 'Patient')]
  await deliverDue()
  // As it happens after a night of quiet hours, or an outage.
  await carillon.passDeadline(ids[0]!)
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['Patient'])
  expect((await carillon.routesOf(ids[0]!))[0]).toMatchObject({ status: 'expired', reason: 'deadline' })
  const { body } = await carillon.request('GET', `/v1/records/${ids[0]}/explain`)
  const { decisions } = body.people[0].routes[0]
  expect(decisions.at(-1).text).toMatch(/^Left out of the digest \S+: expires_at had passed\.$/)
  expect((await carillon.routesOf(ids[1]!))[0]).toMatchObject({ status: 'skipped', reason: 'digested' })
})

it('an expired item is marked although its worker has not stored that it joined', async () => {
  const user = await aPerson({ every: 'hour' })
  const id = await tell(user, 'Late')
  const [route] = await claimDue(carillon.pool, 'email', 'slow')
  const window = { key: '', closes: { at: new Date(Date.now() + 60_000) }, firstAtOnce: false }
  const [joined] = await joinDigests(carillon.pool, 'slow', [{ route: route!, window }])
  await carillon.passDeadline(id)
  expect((await closeDigest(carillon.pool, carillon.tenantId, joined!.digest_id))?.item_count).toBe(0)
  const told = decideObstacle(route!, { kind: 'skip', reason: 'digested', text: '' }, AN_ATTEMPT)
  expect(await completeRoutes(carillon.pool, 'slow', [told])).toEqual([])
  expect((await carillon.routesOf(id))[0]).toMatchObject({ status: 'expired', reason: 'deadline' })
  await deliverDigests()
})

it('closing a digest does not wait for an item that is being cancelled', async () => {
  const user = await aPerson({ every: 'hour' })
  const id = await tell(user, 'Late')
  await deliverDue()
  await carillon.passDeadline(id)
  const [route] = await carillon.routesOf(id)
  await transaction(carillon.pool, async cancelling => {
    await cancelling.query('select from routes where notification_id = $1 for update', [id])
    const closed = await closeDigest(carillon.pool, carillon.tenantId, route!.digest_id!)
    expect(closed?.item_count).toBe(0)
  })
  expect((await carillon.routesOf(id))[0]).toMatchObject({ status: 'skipped', reason: 'digested' })
  await deliverDigests()
})

it('a digest leaves out an escalation that was read in the meantime', async () => {
  await carillon.putType('approval', {
    channels: ['in_app'],
    category: 'talk',
    escalate: [{ channel: 'email', after: 600 }],
  })
  const user = await aPerson(DAILY)
  const ids = [
    await tell(user, 'Read', { notification_type: 'approval' }),
    await tell(user, 'Unread', { notification_type: 'approval' }),
  ]
  await deliverDue()
  expect(await deliverDigests()).toEqual([])
  const row = (await carillon.readAll(`/v1/inbox?user_id=${user}`)).find(
    ({ notification_id }) => notification_id === ids[0],
  )
  await carillon.request('POST', `/v1/inbox/${row.id}/read?user_id=${user}`, { body: {} })
  expect((await deliverDigests()).map(({ subject }) => subject)).toEqual(['Unread'])
  const email = (await carillon.routesOf(ids[0]!)).find(({ channel }) => channel === 'email')
  expect(email).toMatchObject({ status: 'skipped', reason: 'read' })
})
