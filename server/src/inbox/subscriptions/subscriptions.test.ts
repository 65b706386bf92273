import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import { signToken } from '../../content/signed-links/signed-links.ts'
import { inboxOf } from '../notifications/inbox.fixture.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const choose = (user_id: string, subscribed?: boolean, thread = 'issue/1') =>
  put(`/v1/threads/${thread}/subscription`, { user_id, ...(subscribed !== undefined && { subscribed }) })
const subscribeAutomatically = (people: string[], reason: string, event = 1) =>
  carillon.pool.query(`select subscribe_automatically($1, 'issue', '1', $2, $3, $4)`, [
    carillon.tenantId,
    people,
    reason,
    event,
  ])
const chosen = async (userId: string) =>
  (await carillon.request('GET', `/v1/threads/issue/1/subscription?user_id=${userId}`)).body

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cy', 'dan']) await carillon.putUser(id)
  await put('/v1/threads/issue/1', { topic: 'open' })
})

it('a person has one subscription per thread, which subscribing and leaving change', {
  tags: 'S001-10',
}, async () => {
  const first = (await choose('ada')).body
  expect(first).toMatchObject({ user_id: 'ada', subscribed: true, reason: 'manual' })
  const second = (await choose('ada', false)).body
  expect(second).toMatchObject({
    subscribed: false,
    reason: 'manual_unsubscribe',
    created_at: first.created_at,
  })
  expect(await chosen('ada')).toEqual(second)
  expect(await carillon.readAll('/v1/users/ada/subscriptions')).toHaveLength(1)
})

it('automatic subscriptions are made only where there is none', { tags: 'S001-11' }, async () => {
  await choose('bob', false)
  await subscribeAutomatically(['bob', 'cy'], 'mention')
  await subscribeAutomatically(['bob', 'cy'], 'assigned')
  expect(await chosen('bob')).toMatchObject({ subscribed: false, reason: 'manual_unsubscribe' })
  expect(await chosen('cy')).toMatchObject({ subscribed: true, reason: 'mention' })
  await choose('cy', true)
  expect(await chosen('cy')).toMatchObject({ subscribed: true, reason: 'manual' })
})

it('a subscription needs a thread that exists and that the person may see', { tags: 'S001-13' }, async () => {
  expect(problemOf(await choose('ada', true, 'issue/none')).code).toBe('not_found')
  expect(problemOf(await choose('ada', true, 'pr/1')).code).toBe('not_found')
  await put('/v1/topics/closed', { visibility: 'private' })
  await put('/v1/threads/issue/2', { topic: 'closed' })
  await put('/v1/topics/closed/members/bob')
  expect(problemOf(await choose('ada', true, 'issue/2')).code).toBe('not_found')
  expect((await choose('bob', true, 'issue/2')).status).toBe(200)
  // Leaving discloses nothing, and has to work from an old mail.
  expect((await choose('ada', false, 'issue/2')).status).toBe(200)
})

it('a person may leave a thread that only an intent named, once it is in their inbox', async () => {
  await carillon.putUser('eve')
  expect(problemOf(await choose('eve', false, 'issue/named')).code).toBe('not_found')
  await inboxOf(carillon).add({ user: 'eve', thread_kind: 'issue', thread_id: 'named' })
  expect(problemOf(await choose('ada', false, 'issue/named')).code).toBe('not_found')
  expect((await choose('eve', false, 'issue/named')).body).toMatchObject({ subscribed: false })
  // Following goes on from there, too: undoing a mute is that.
  expect((await choose('eve', true, 'issue/named')).body).toMatchObject({ subscribed: true })
})

it('a subscription needs a user who exists', async () => {
  const problem = problemOf(await choose('ghost'))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['recipient_not_found', 'user_id'])
})

it('subscriptions are listed by thread and by person, and can be forgotten', {
  tags: 'S001-13',
}, async () => {
  await put('/v1/threads/issue/3')
  await put('/v1/threads/pr/3')
  for (const user of ['dan', 'cy']) await choose(user, true, 'issue/3')
  await choose('dan', false, 'pr/3')
  const people = async () =>
    (await carillon.readAll('/v1/threads/issue/3/subscriptions', 1)).map(each => each.user_id)
  expect(await people()).toEqual(['cy', 'dan'])
  const threads = await carillon.readAll('/v1/users/dan/subscriptions', 1)
  expect(threads.map(each => each.thread_kind)).toEqual(['issue', 'pr'])
  const forget = () => carillon.request('DELETE', '/v1/threads/issue/3/subscription?user_id=dan')
  expect((await forget()).status).toBe(204)
  expect(problemOf(await forget()).code).toBe('not_found')
  expect(await people()).toEqual(['cy'])
})

it('subscriptions go with their person and with their thread', { tags: 'S001-6' }, async () => {
  await carillon.putUser('leaver')
  await put('/v1/threads/issue/4')
  await choose('leaver', true, 'issue/4')
  await choose('ada', true, 'issue/4')
  await carillon.request('DELETE', '/v1/users/leaver')
  expect(await carillon.readAll('/v1/threads/issue/4/subscriptions')).toHaveLength(1)
  await carillon.request('DELETE', '/v1/threads/issue/4')
  const left = await carillon.pool.query(`select from notification_threads where thread_id = '4'`)
  expect(left.rowCount).toBe(0)
})

it('leaving a thread by a signed link is in the audit log, whether or not the person followed it', {
  tags: 'S001-30',
}, async () => {
  await put('/v1/threads/issue/5')
  for (const id of ['finn', 'gil']) await carillon.putUser(id)
  await choose('gil', true, 'issue/5')
  const inAMinute = new Date(Date.now() + 60_000)
  for (const user_id of ['finn', 'gil']) {
    const claim = { tenant_id: carillon.tenantId, user_id, thread_kind: 'issue', thread_id: '5' }
    const token = signToken(carillon.providers.keyring, 'thread', claim, inAMinute)
    const left = await carillon.api.inject({ method: 'POST', url: `/unsubscribe/thread/${token}` })
    expect(left.statusCode).toBe(200)
    expect(await carillon.readAll(`/v1/audit-logs?user_id=${user_id}`)).toMatchObject([
      {
        resource_id: `issue/5/${user_id}`,
        new_values: { subscribed: false, reason: 'email_one_click' },
      },
    ])
  }
})

it('every update of a subscription moves its updated_at', { tags: 'S001-9' }, async () => {
  await choose('ada')
  const { rows } = await carillon.pool.query(
    `with back as (update notification_threads set updated_at = '2020-01-01' where user_id = 'ada' returning updated_at)
     select updated_at > '2021-01-01' as moved from back`,
  )
  expect(rows[0].moved).toBe(true)
})

describeColumns(carillon, {
  refused: [
    [
      'a subscription for no known reason',
      `insert into notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason)
       values ($1, 'dan', 'issue', '1', true, 'whim')`,
      'notification_threads_reason_check',
    ],
  ],
})
