import type { EventSimulation } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'
import { tell } from '../../../test/fanout.ts'
import { addPeople } from '../../../test/people.ts'
import { aReceiver } from '../../../test/webhooks.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const simulate = (body: object, key?: string): Promise<Answer> =>
  carillon.request('POST', '/v1/events/simulate', { body, ...(key !== undefined && { key }) })

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cy']) await carillon.putUser(id, { email: `${id}@example.com` })
  await put('/v1/topics/repo')
  await put('/v1/topics/repo/watch', { user_id: 'bob' })
})

const comment = (more: object = {}) => ({
  kind: 'issue_comment_created',
  actor_id: 'cy',
  topic: 'repo',
  thread: { kind: 'issue', id: '1', title: 'Broken' },
  relations: { mention: ['ada'] },
  payload: { body: 'Look at this.' },
  ...more,
})

it('simulating an event says who would be told, by which rule, and what they would get', async () => {
  const { status, body } = await simulate(comment())
  expect(status).toBe(200)
  const { people, ...rest } = body as EventSimulation
  expect(rest).toMatchObject({ duplicate_of: null, summary: '2 people: 2 told.', is_complete: true })
  expect(people).toMatchObject([
    {
      ...{ user_id: 'ada', relations: ['mention'], reason: 'mention', outcome: 'told', inbox: 'new' },
      routes: [
        { channel: 'email', status: 'sent', address: 'ada@example.com', message: { subject: 'Broken' } },
      ],
    },
    { user_id: 'bob', relation: 'watching', outcome: 'told', inbox: 'new' },
  ])
  await tell(carillon, comment())
  const again = (await simulate(comment())).body
  expect(again.people[0]).toMatchObject({
    inbox: 'updated',
    text: expect.stringMatching(/^Told for the reason/),
  })
})

it('simulating an event stores nothing, announces nothing, and tells no webhook', async () => {
  const endpoint = { url: 'https://example.com/hook', events: ['event.emitted', 'notification.accepted'] }
  await carillon.request('POST', '/v1/webhooks', { body: endpoint })
  const before = await carillon.rowCounts()
  const { due } = carillon.signals
  const fresh = { topic: 'new topic', thread: { kind: 'issue', id: 'new', author_id: 'bob' } }
  expect((await simulate(comment(fresh))).body.people).toHaveLength(2)
  expect(await carillon.rowCounts()).toEqual(before)
  expect(carillon.signals.due).toBe(due)
  expect((await carillon.request('GET', '/v1/topics/new%20topic')).status).toBe(404)
})

it('simulating an event recognises an accepted one, and refuses what would be refused', async () => {
  const body = comment({ idempotency_key: 'once' })
  const { event_id } = (await carillon.request('POST', '/v1/events', { body })).body
  expect((await simulate(body)).body).toMatchObject({ duplicate_of: event_id, people: [] })
  expect(problemOf(await simulate({ ...body, kind: 'other' })).code).toBe('idempotency_conflict')
  expect(problemOf(await simulate({ topic: 'repo' })).code).toBe('missing_field')
})

it('simulating an event hides addresses and texts from keys that may not read them', async () => {
  const { key } = await carillon.createKey({ name: 'emitter', scopes: ['events:write'] })
  const [ada] = (await simulate(comment(), key)).body.people
  expect(ada.routes[0]).toMatchObject({ status: 'sent', address: '', message: null })
  const reader = await carillon.createKey({ name: 'reader', scopes: ['events:read'] })
  expect(problemOf(await simulate(comment(), reader.key)).code).toBe('forbidden')
})

it('simulating an event says why nobody would be told', async () => {
  expect((await simulate({ kind: 'unheard_of' })).body.summary).toBe(
    'Nobody would be told: no rule is for this kind of events.',
  )
  expect((await simulate({ kind: 'mentioned' })).body.summary).toBe(
    'Nobody would be told: nobody stands in a relation to the event.',
  )
})

it('simulating an event shows the first hundred people, and says that there are more', async () => {
  const many = Array.from({ length: 150 }, (_, n) => `many-${n}`)
  await addPeople(carillon, many, 'large')
  const { body } = await simulate(comment({ topic: 'large', thread: { kind: 'issue', id: 'large' } }))
  expect([body.people.length, body.is_complete]).toEqual([100, false])
  expect(body.people.every((person: { inbox: string }) => person.inbox === 'new')).toBe(true)
})

it('thirty simulations at once with the same new topic and thread finish', async () => {
  const event = comment({ topic: 'same', thread: { kind: 'issue', id: 'same' } })
  const answers = await Promise.all(Array.from({ length: 30 }, () => simulate(event)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

it('simulating an event asks the tenant’s server once who may see it, and fails without an answer', {
  tags: 'S001-25',
}, async () => {
  const receiver = await aReceiver()
  receiver.answerWith(() => ({ body: '{"visible": ["bob"]}' }))
  await put('/v1/visibility-check', { url: receiver.url })
  const event = comment({ thread: { kind: 'issue', id: 'asked' } })
  const { body } = await simulate(event)
  const outcomes = body.people.map((person: { outcome: string; routes: unknown[] }) => [
    person.outcome,
    person.routes.length,
  ])
  expect(outcomes).toEqual([
    ['not_visible', 0],
    ['told', 1],
  ])
  expect(body.people[1].routes[0]).toMatchObject({ status: 'sent' })
  expect(receiver.requests).toHaveLength(1)
  expect(JSON.parse(receiver.requests[0]!.body.toString())).toMatchObject({
    topic: 'repo',
    user_ids: ['ada', 'bob'],
  })
  receiver.answerWith(() => ({ status: 500 }))
  const problem = problemOf(await simulate(event))
  expect([problem.code, problem.detail]).toEqual([
    'unavailable',
    expect.stringMatching(/could not be asked.*500/),
  ])
  await carillon.request('DELETE', '/v1/visibility-check')
})
