import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { emptyLog } from '../../../test/events.ts'
import { inboxOf } from './inbox.fixture.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)
const post = (body: object) => carillon.request('POST', '/v1/notifications', { body })
const announcement = { type: 'maintenance', title: 'Down at noon', message: 'For an hour.' }
const events = async () => (await carillon.readAll('/v1/events')).reverse()

beforeAll(async () => {
  for (const user of ['ada', 'bob']) await carillon.putUser(user)
})
beforeEach(async () => {
  await inbox.clear()
  await emptyLog(carillon.pool)
})

it('an announcement is in every inbox, of later users too, and each person reads it for themselves', {
  tags: ['S004-1', 'S004-4'],
}, async () => {
  const { status, body } = await post({ ...announcement, url: '/status' })
  expect([status, body]).toEqual([201, expect.objectContaining({ ...announcement, url: '/status' })])
  await carillon.putUser('late')
  for (const user of ['ada', 'bob', 'late'])
    expect(await inbox.list(user)).toMatchObject([{ id: body.id, is_for_everybody: true, url: '/status' }])
  await inbox.post('bob', `/${body.id}/read`)
  expect([await inbox.unread('ada'), await inbox.unread('bob')]).toEqual([1, 0])
  expect(await carillon.readAll('/v1/notifications')).toEqual([body])
})

it('an announcement is made once per key, however many requests ask for it at once', async () => {
  const keyed = {
    ...announcement,
    url: '/status',
    actions: [{ id: 'ok', label: 'OK' }],
    idempotency_key: 'noon',
  }
  const answers = await Promise.all([keyed, keyed, keyed, keyed].map(post))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201])
  const [first] = await carillon.readAll('/v1/notifications')
  for (const { body } of answers) expect(body).toEqual(first)
  const headers = { 'idempotency-key': 'noon' }
  const { idempotency_key: _, ...unkeyed } = keyed
  const byHeader = await carillon.request('POST', '/v1/notifications', { body: unkeyed, headers })
  expect([byHeader.status, byHeader.body]).toEqual([200, first])
  expect(await inbox.unread('ada')).toBe(1)
  const audited = await carillon.readAll(`/v1/audit-logs?resource_type=notification&resource_id=${first.id}`)
  expect(audited).toHaveLength(1)
})

it('other content under the same key is a conflict, and another tenant has its own keys', async () => {
  const keyed = { ...announcement, idempotency_key: 'evening' }
  expect((await post(keyed)).status).toBe(201)
  expect(problemOf(await post({ ...keyed, title: 'Down at six' }))).toMatchObject({
    status: 409,
    code: 'idempotency_conflict',
  })
  const other = await carillon.createTenant('another')
  const elsewhere = await carillon.request('POST', '/v1/notifications', { body: keyed, key: other.key })
  expect(elsewhere.status).toBe(201)
})

it('an expired announcement is still found by its key', async () => {
  const keyed = {
    ...announcement,
    idempotency_key: 'soon',
    expires_at: new Date(Date.now() + 60_000).toISOString(),
  }
  expect((await post(keyed)).status).toBe(201)
  const past = { ...keyed, expires_at: '2020-01-01T00:00:00.000Z' }
  await inbox.expire(new Date(past.expires_at))
  expect((await post(past)).status).toBe(200)
})

it('an announcement is in no inbox of another tenant, which cannot take it back', {
  tags: 'S004-7',
}, async () => {
  const { id } = (await post(announcement)).body
  const other = await carillon.createTenant('elsewhere')
  await carillon.request('PUT', '/v1/users/ada', { body: {}, key: other.key })
  const list = await carillon.request('GET', '/v1/inbox?user_id=ada', { key: other.key })
  expect(list.body.data).toEqual([])
  for (const [method, path] of [
    ['DELETE', `/v1/notifications/${id}`],
    ['GET', `/v1/inbox/${id}?user_id=ada`],
  ] as const)
    expect((await carillon.request(method, path, { key: other.key })).status).toBe(404)
  expect(await inbox.unread('ada')).toBe(1)
})

it('an announcement is taken back from all inboxes, and clients learn of it', async () => {
  const { id } = (await post(announcement)).body
  const { version } = (await inbox.get('ada')).body
  expect((await carillon.request('DELETE', `/v1/notifications/${id}`)).status).toBe(204)
  expect((await carillon.request('DELETE', `/v1/notifications/${id}`)).status).toBe(404)
  expect([await inbox.titles('ada'), await inbox.unread('bob')]).toEqual([[], 0])
  expect((await inbox.get('ada', `/changes?since=${version}`)).body.removed).toEqual([id])
  expect((await inbox.post('ada', `/${id}/read`)).status).toBe(404)
})

it('a person’s own row cannot be taken back as an announcement', async () => {
  const [id] = await inbox.add({})
  expect((await carillon.request('DELETE', `/v1/notifications/${id}`)).status).toBe(404)
})

it.each([
  [{ type: 'x'.repeat(101) }, 'type'],
  [{ title: '' }, 'title'],
  [{ message: 'é'.repeat(2049) }, 'message'],
  [{ url: 'javascript:alert(1)' }, 'url'],
  [{ url: '//evil.example' }, 'url'],
  [{ actions: [{ id: 'a', label: 'A', url: 'data:text/html,x' }] }, 'actions.0.url'],
  [{ actions: ['a', 'a'].map(id => ({ id, label: id })) }, 'actions'],
  [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  [{ channel: 'email' }, 'channel'],
])(
  'an announcement with a wrong field is refused (%#)',
  { tags: ['S004-1', 'S004-19'] },
  async (part, field) => {
    const problem = problemOf(await post({ ...announcement, ...part }))
    expect([problem.status, problem.errors?.[0]?.field]).toEqual([400, field])
  },
)

describe('a button', () => {
  const actions = [
    { id: 'approve', label: 'Approve', url: null, event_kind: 'invoice_approved' },
    { id: 'refuse', label: 'Refuse', url: null, event_kind: 'invoice_refused' },
    { id: 'open', label: 'Open', url: 'https://example.com', event_kind: null },
  ]
  const answer = (user: string, id: string, action: string) => inbox.post(user, `/${id}/answer`, { action })
  const withButtons = async (row: object = {}) =>
    (await inbox.add({ ...row, topic: 'billing', actions: JSON.stringify(actions) }))[0]!

  it('a button stores its answer, marks the row as read and emits its event', async () => {
    const id = await withButtons()
    const item = (await answer('ada', id, 'approve')).body
    expect(item).toMatchObject({ is_read: true, answer: { action: 'approve' }, actions })
    expect(await events()).toMatchObject([
      {
        kind: 'invoice_approved',
        actor_id: 'ada',
        topic: 'billing',
        source_kind: 'notification',
        source_id: id,
        producer: 'inbox',
      },
    ])
    expect(JSON.parse((await events())[0].payload_json)).toMatchObject({ action: 'approve' })
  })

  it('a button is pressed once however many tabs press it, and another one comes too late', async () => {
    const id = await withButtons()
    const answers = await Promise.all(Array.from({ length: 8 }, () => answer('ada', id, 'approve')))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(answers.map(({ body }) => body.answer.answered_at)).size).toBe(1)
    expect(problemOf(await answer('ada', id, 'refuse')).code).toBe('already_answered')
    expect(await events()).toHaveLength(1)
    const both = await withButtons()
    const race = await Promise.all(['approve', 'refuse'].map(action => answer('ada', both, action)))
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await events()).toHaveLength(2)
  })

  it('a button of an announcement is answered by each person', async () => {
    const id = await withButtons({ user: null })
    await Promise.all([
      answer('ada', id, 'approve'),
      answer('ada', id, 'approve'),
      answer('bob', id, 'refuse'),
    ])
    expect((await events()).map(({ actor_id, kind }) => [actor_id, kind]).sort()).toEqual([
      ['ada', 'invoice_approved'],
      ['bob', 'invoice_refused'],
    ])
    expect((await inbox.get('ada', `/${id}`)).body.answer.action).toBe('approve')
  })

  it('a button that only leads somewhere stores its answer and emits nothing', async () => {
    expect((await answer('ada', await withButtons(), 'open')).body.answer.action).toBe('open')
    expect(await events()).toEqual([])
  })

  it('a button can be pressed again when the next event of the thread asks anew', async () => {
    const ask = (id: number) => inbox.event(id, ['ada'], { thread_kind: 'issue', thread_id: '1', actions })
    await ask(1)
    const [{ id }] = await inbox.list('ada')
    await answer('ada', id, 'approve')
    await ask(2)
    expect((await inbox.get('ada', `/${id}`)).body.answer).toBeNull()
    await answer('ada', id, 'approve')
    expect(await events()).toHaveLength(2)
  })

  it('a button that is missing or another person’s is refused', async () => {
    const id = await withButtons()
    const problem = problemOf(await answer('ada', id, 'explode'))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'action'])
    expect((await answer('bob', id, 'approve')).status).toBe(404)
    expect(await events()).toEqual([])
  })
})
