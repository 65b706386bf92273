import type { SimulatedRoute } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { addPeople } from '../../../test/people.ts'

const carillon = useCarillon()
const simulate = (intent: object) =>
  carillon.request('POST', '/v1/intents/simulate', { body: { ...AN_INTENT, ...intent } })
const users = (...user_ids: string[]) => ({ audience: { kind: 'users', user_ids } })

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', locale: 'de' })
  await carillon.putUser('bob')
  await carillon.request('PUT', '/v1/users/ada/preferences', {
    body: { channels: { sms: { enabled: false }, push: { frequency_cap: 0 } } },
  })
})

/** Every row of every table, to prove that nothing was written. */
async function everything(): Promise<string> {
  const tables = Object.keys(await carillon.rowCounts()).filter(table => table !== 'api_keys')
  const texts = tables.map(async table => {
    const { rows } = await carillon.pool.query(
      `select coalesce(string_agg(t::text, ' ' order by t::text), '') as text from ${table} t`,
    )
    return `${table}: ${rows[0].text}`
  })
  return (await Promise.all(texts)).join('\n')
}

it('simulating an intent shows who would get what, how and when, and writes nothing', async () => {
  const before = await everything()
  const answer = await simulate({ ...users('ada', 'bob'), channels: ['email', 'in_app'] })
  expect(answer.status).toBe(200)
  expect(await everything()).toBe(before)
  const { people, summary, is_complete, duplicate_of } = answer.body
  expect([is_complete, duplicate_of]).toEqual([true, null])
  expect(summary).toBe('Routes: 3 sent, 1 skipped (no_address).')
  expect(people.map((person: { recipient_ref: string }) => person.recipient_ref)).toEqual([
    'user:ada',
    'user:bob',
  ])
  expect(people[0].routes[0]).toMatchObject({
    route_id: 'email:user:ada',
    address: 'ada@example.com',
    locale: 'de',
    status: 'sent',
    provider: 'nowhere',
    message: { subject: 'Your order', text: expect.stringMatching(/^It is on its way\./) },
  })
  expect(people[0].routes[0].message.html).toMatch(/<p [^>]*>It is on its way\.<\/p>/)
  expect(people[1].routes[0]).toMatchObject({ status: 'skipped', reason: 'no_address', message: null })
})

it('simulating an intent shows why a person would get nothing', async () => {
  const { body } = await simulate({ ...users('ada'), channels: ['sms', 'push'] })
  const reasons = body.people[0].routes.map((route: { reason: string }) => route.reason)
  expect(reasons).toEqual(['frequency_cap', 'no_address'])
})

it('simulating an intent shows what waits: a delay, a local time, an escalation', async () => {
  await carillon.putType('patient', { channels: ['in_app'], delay: 600 })
  await carillon.putType('insistent', {
    channels: ['in_app'],
    escalate: [{ channel: 'email', after: 3600, unless: 'read' }],
  })
  const outcomes = async (intent: object) => {
    const { people } = (await simulate({ ...users('ada'), ...intent })).body
    return people[0].routes.map(({ channel, status, reason }: SimulatedRoute) => [channel, status, reason])
  }
  const inbox = ['in_app', 'sent', '']
  expect(await outcomes({ notification_type: 'patient' })).toEqual([inbox])
  const later = { channels: ['in_app'], send_at_local: '2037-01-31T09:00' }
  expect(await outcomes(later)).toEqual([inbox])
  expect(await outcomes({ notification_type: 'insistent' })).toEqual([['email', 'sent', ''], inbox])
})

it('simulating an intent moves the clock to send_at', async () => {
  const send_at = '2031-01-01T10:00:00.000Z'
  const { body } = await simulate({ ...users('ada'), channels: ['email'], send_at })
  const waits = Date.parse(body.people[0].routes[0].at) - Date.parse(send_at)
  // Rounding to the millisecond explains this much.
  expect(Math.abs(waits)).toBeLessThanOrEqual(1)
})

it('simulating an intent shows the first hundred people, and says that there are more', async () => {
  await addPeople(
    carillon,
    Array.from({ length: 150 }, (_, n) => `many-${n}`),
  )
  const { body } = await simulate({ audience: { kind: 'tenant' }, channels: ['in_app'] })
  expect([body.people.length, body.is_complete]).toEqual([100, false])
  await carillon.request('PUT', '/v1/topics/t/watch', { body: { user_id: 'ada' } })
  const topic = await simulate({ audience: { kind: 'topic', topic: 't' }, channels: ['in_app'] })
  expect([topic.body.people.length, topic.body.is_complete]).toEqual([1, true])
  const nobody = await simulate({ audience: { kind: 'topic', topic: 'empty' }, channels: ['in_app'] })
  expect(nobody.body.summary).toBe('Nobody: the audience is empty.')
})

it('simulating an intent refuses what accepting refuses, and recognises an accepted one', async () => {
  expect(problemOf(await simulate(users('nobody'))).code).toBe('recipient_not_found')
  expect(problemOf(await simulate({ audience: undefined })).code).toBe('missing_field')
  const id = await carillon.send({ idempotency_key: 'once' })
  expect((await simulate({ idempotency_key: 'once' })).body).toMatchObject({ duplicate_of: id, people: [] })
  const conflict = await simulate({ idempotency_key: 'once', payload: { title: 'other' } })
  expect(problemOf(conflict).code).toBe('idempotency_conflict')
})

it('thirty simulations at once finish, as no transaction waits for a second connection', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => simulate(users('ada'))))
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
})
