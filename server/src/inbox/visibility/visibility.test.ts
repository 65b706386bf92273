import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { drainAll, emit, orderAll, retryNow } from '../../../test/events.ts'
import { aFanout, fanOut, tellingOf } from '../../../test/fanout.ts'
import { addPeople } from '../../../test/people.ts'
import type { ReceivedRequest } from '../../../test/receivers/http-receiver.ts'
import { aReceiver } from '../../../test/webhooks.ts'
import { createVisibility } from './visibility.ts'

const carillon = useCarillon()
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const people = ['ada', 'bob', 'cy']
const event = (more: object = {}) => ({
  ...{ kind: 'mentioned', topic: 'repo', thread: { kind: 'issue', id: '1' } },
  ...{ relations: { mention: people }, ...more },
})
const read = ({ body }: ReceivedRequest) => JSON.parse(body.toString())

/** A server of the tenant that lets these people see everything. */
async function aServer(...visible: string[]) {
  const receiver = await aReceiver()
  receiver.answerWith(() => ({ body: JSON.stringify({ visible }) }))
  const { secret } = (await put('/v1/visibility-check', { url: receiver.url })).body
  return { receiver, secret }
}

/** In the order of their ids. */
const crowd = (count: number) => Array.from({ length: count }, (_, n) => `w${String(n).padStart(4, '0')}`)

async function cursorAt(): Promise<number> {
  const { data } = (await carillon.request('GET', '/v1/event-consumers')).body
  return data.find(({ consumer }: { consumer: string }) => consumer === 'notify_fanout').last_event_id
}

function asking(most?: number) {
  const { keyring, outgoing } = carillon.providers
  const visibility = createVisibility({ pool: carillon.pool, keyring, http: outgoing.http, rememberMs: 0 })
  return aFanout(carillon.pool, { visibility, ...(most !== undefined && { most }) })
}

beforeAll(async () => {
  for (const id of people) await carillon.putUser(id, { email: `${id}@example.com` })
})
beforeEach(() => carillon.request('DELETE', '/v1/visibility-check'))

it('the visibility check gets a signed question about the recipients, and only those it names are told', {
  tags: 'S001-25',
}, async () => {
  const { receiver, secret } = await aServer('bob', 'stranger')
  const id = await emit(carillon.pool, event())
  await fanOut(carillon, asking())
  expect(await tellingOf(carillon, id)).toEqual(['bob mention in_app+email'])
  expect(receiver.requests.map(read)).toEqual([
    { topic: 'repo', thread: { kind: 'issue', id: '1' }, event_id: id, user_ids: people },
  ])
  const [{ body, headers }] = receiver.requests as [ReceivedRequest]
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy()
})

it('nobody is told while the visibility check fails, and it is asked again later', {
  tags: 'S001-25',
}, async () => {
  const { receiver } = await aServer('bob')
  const answers = [
    { status: 500 },
    { status: 403, body: '{"visible":["bob"]}' },
    { body: 'no' },
    { body: '{"visible": "all"}' },
    { body: '{"visible":["cy"]}' },
  ]
  receiver.answerWith(() => answers.shift()!)
  const id = await emit(carillon.pool, event())
  for (let left = 4; left > 0; left--) {
    expect(await drainAll(carillon.pool, asking(), carillon.tenantId)).toBe('waiting')
    expect(await tellingOf(carillon, id)).toEqual([])
    await retryNow(carillon.pool)
  }
  await fanOut(carillon, asking())
  expect(await tellingOf(carillon, id)).toEqual(['cy mention in_app+email'])
})

it('the visibility check is asked portion by portion, and once about each person', async () => {
  const { receiver } = await aServer(...people)
  const id = await emit(carillon.pool, event())
  await fanOut(carillon, asking(2))
  expect(receiver.requests.map(request => read(request).user_ids)).toEqual([['ada', 'bob'], ['cy']])
  expect(await tellingOf(carillon, id)).toHaveLength(3)
})

it('an event stays unfinished when the check fails between portions, and a finished one stays so', async () => {
  await addPeople(carillon, crowd(1001), 'crowd')
  const { receiver } = await aServer()
  const seeAll = (request: ReceivedRequest) => ({
    body: JSON.stringify({ visible: read(request).user_ids }),
  })
  let questions = 0
  receiver.answerWith(request => (++questions === 1 ? seeAll(request) : { status: 500 }))
  const to_event_id = await cursorAt()
  const reset = () =>
    carillon.request('POST', '/v1/event-consumers/notify_fanout/reset', { body: { to_event_id } })
  const id = await emit(carillon.pool, { kind: 'issue_created', topic: 'crowd' })
  expect(await drainAll(carillon.pool, asking(), carillon.tenantId)).toBe('waiting')
  expect(await tellingOf(carillon, id)).toHaveLength(1000)

  await carillon.request('DELETE', '/v1/visibility-check')
  await reset()
  await fanOut(carillon)
  expect(await tellingOf(carillon, id)).toHaveLength(1001)

  await put('/v1/visibility-check', { url: receiver.url })
  receiver.answerWith(seeAll)
  await addPeople(carillon, ['w2000', 'w2001'], 'crowd')
  await reset()
  await fanOut(carillon, asking())
  expect(await tellingOf(carillon, id)).toHaveLength(1001)
})

it('the visibility check holds no cursor before events that were deleted', async () => {
  await aServer()
  await emit(carillon.pool, event())
  await orderAll(carillon.pool)
  const from = await cursorAt()
  await carillon.pool.query('delete from domain_events')
  await fanOut(carillon, asking())
  expect(await cursorAt()).toBe(from + 1)
})

it('the visibility check cannot show people what only members may see', async () => {
  await aServer(...people)
  await put('/v1/topics/closed', { visibility: 'private' })
  await put('/v1/topics/closed/members/cy')
  const id = await emit(carillon.pool, event({ topic: 'closed', thread: { kind: 'issue', id: '2' } }))
  await fanOut(carillon, asking())
  expect(await tellingOf(carillon, id)).toEqual(['cy mention in_app+email'])
})

it('the visibility check is asked before a person subscribes', { tags: 'S001-13' }, async () => {
  const { receiver } = await aServer('bob')
  await put('/v1/threads/issue/3', { topic: 'repo' })
  const subscribe = (user_id: string) => put('/v1/threads/issue/3/subscription', { user_id })
  expect((await subscribe('bob')).status).toBe(200)
  expect(problemOf(await subscribe('ada')).code).toBe('not_found')
  receiver.answerWith(() => ({ status: 503 }))
  expect(problemOf(await subscribe('bob')).code).toBe('unavailable')
})

describe('the settings of the visibility check', () => {
  const url = 'https://example.com/visible'

  it('the visibility check is changed field by field, and a new address gets a new secret', async () => {
    const change = (body: object) => carillon.request('PATCH', '/v1/visibility-check', { body })
    await carillon.request('DELETE', '/v1/visibility-check')
    expect((await change({ timeout_ms: 500 })).status).toBe(404)
    const url = 'https://example.com/visible'
    await put('/v1/visibility-check', { url, timeout_ms: 700 })
    const moved = (await change({ url: `${url}/2` })).body
    expect(moved).toMatchObject({ timeout_ms: 700, secret: expect.stringMatching(/^whsec_/) })
    expect((await change({ timeout_ms: 500 })).body).toMatchObject({ url: `${url}/2`, secret: null })
    await carillon.request('DELETE', '/v1/visibility-check')
  })

  it('the secret of the visibility check is shown once, and replacing the address makes a new one', async () => {
    const first = (await put('/v1/visibility-check', { url })).body
    expect(first).toMatchObject({ url, timeout_ms: 2000, secret: expect.stringMatching(/^whsec_/) })
    expect((await put('/v1/visibility-check', { url, timeout_ms: 500 })).body.secret).toBeNull()
    const { body } = await carillon.request('GET', '/v1/visibility-check')
    expect(body).toMatchObject({ url, timeout_ms: 500 })
    expect(body).not.toHaveProperty('secret')
    const moved = (await put('/v1/visibility-check', { url: `${url}2` })).body
    expect(moved.secret).toMatch(/^whsec_/)
    expect(moved.secret).not.toBe(first.secret)
    expect((await put('/v1/visibility-check', { url, secret: first.secret })).body.secret).toBeNull()
  })

  it.each([
    ['url', { url: 'http://169.254.169.254/latest' }],
    ['url', { url: 'example' }],
    ['timeout_ms', { url, timeout_ms: 60_000 }],
    ['secret', { url, secret: 'short' }],
  ])('a visibility check with a wrong %s is refused with that field', async (field, body) => {
    expect(problemOf(await put('/v1/visibility-check', body)).errors?.[0]?.field).toBe(field)
  })
})
