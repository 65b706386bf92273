import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import { inboxOf } from '../notifications/inbox.fixture.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)
const put = (path: string, body: object = {}) => carillon.request('PUT', path, { body })
const watch = (topic: string, user_id: string, level = 'all') =>
  put(`/v1/topics/${topic}/watch`, { user_id, level })

beforeAll(async () => {
  for (const id of ['ada', 'bob', 'cy']) await carillon.putUser(id)
})

it('topics are put, changed, listed and deleted', async () => {
  const topic = { title: 'One', url: 'https://example.com/one', visibility: 'private' }
  expect((await put('/v1/topics/repo%2Fone', topic)).body).toMatchObject({ topic: 'repo/one', ...topic })
  const changed = await carillon.request('PATCH', '/v1/topics/repo%2Fone', { body: { title: 'Uno' } })
  expect(changed.body).toMatchObject({ ...topic, title: 'Uno' })
  expect(await carillon.readAll('/v1/topics', 1)).toMatchObject([{ topic: 'repo/one', title: 'Uno' }])
  expect((await carillon.request('DELETE', '/v1/topics/repo%2Fone')).status).toBe(204)
  expect(problemOf(await carillon.request('GET', '/v1/topics/repo%2Fone')).code).toBe('not_found')
  const missing = await carillon.request('PATCH', '/v1/topics/repo%2Fone', { body: {} })
  expect(problemOf(missing).code).toBe('not_found')
})

it.each([
  ['visibility', { visibility: 'secret' }],
  ['url', { url: 'example' }],
  ['title', { title: 'x'.repeat(501) }],
])('a topic with a wrong %s is refused with that field', async (field, body) => {
  expect(problemOf(await put('/v1/topics/t', body)).errors?.[0]?.field).toBe(field)
})

it('the first watch makes its topic, and watchers count at any level but ignore', {
  tags: 'S001-14',
}, async () => {
  await watch('counted', 'ada')
  await watch('counted', 'bob', 'participating')
  await watch('counted', 'cy', 'ignore')
  expect((await carillon.request('GET', '/v1/topics/counted')).body.watchers).toBe(2)
})

it('a deleted topic takes its threads, members, watches, subscriptions and inbox rows along', {
  tags: 'S001-6',
}, async () => {
  await watch('gone', 'ada')
  await put('/v1/topics/gone/members/bob')
  await put('/v1/threads/issue/of-gone', { topic: 'gone' })
  await put('/v1/threads/issue/of-gone/subscription', { user_id: 'ada' })
  await put('/v1/topics/stays')
  await inbox.add({ title: 'gone', topic: 'gone' }, { title: 'stays', topic: 'stays' })
  await carillon.request('DELETE', '/v1/topics/gone')
  const counts = await carillon.pool.query(
    `select (select count(*)::integer from watches where topic = 'gone') as watches,
         (select count(*)::integer from topic_members where topic = 'gone') as members,
         (select count(*)::integer from threads where topic = 'gone') as threads,
         (select count(*)::integer from notification_threads where thread_id = 'of-gone') as subscriptions`,
  )
  expect(counts.rows[0]).toEqual({ watches: 0, members: 0, threads: 0, subscriptions: 0 })
  expect(await inbox.titles('ada')).toEqual(['stays'])
})

describe('members', () => {
  const levelOf = async (topic: string, userId: string) =>
    (await carillon.readAll(`/v1/topics/${topic}/watches`)).find(each => each.user_id === userId)

  it('topic members are added with a role, changed, listed and removed', async () => {
    await put('/v1/topics/team')
    expect((await put('/v1/topics/team/members/ada')).body).toMatchObject({ user_id: 'ada', role: 'member' })
    expect((await put('/v1/topics/team/members/ada', { role: 'owner' })).body.role).toBe('owner')
    expect(await carillon.readAll('/v1/topics/team/members')).toMatchObject([
      { user_id: 'ada', role: 'owner' },
    ])
    const remove = () => carillon.request('DELETE', '/v1/topics/team/members/ada')
    expect((await remove()).status).toBe(204)
    expect(problemOf(await remove()).code).toBe('not_found')
  })

  it('a topic member needs a topic and a user who exist', async () => {
    expect(problemOf(await put('/v1/topics/nowhere/members/ada')).code).toBe('not_found')
    await put('/v1/topics/somewhere')
    const problem = problemOf(await put('/v1/topics/somewhere/members/ghost'))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['recipient_not_found', 'user_id'])
  })

  it('new topic members watch the topic unless they chose a level or should not', {
    tags: 'S001-14',
  }, async () => {
    await watch('club', 'bob', 'ignore')
    for (const user of ['ada', 'bob']) await put(`/v1/topics/club/members/${user}`)
    await put('/v1/topics/club/members/cy', { watch: false })
    expect(await levelOf('club', 'ada')).toMatchObject({ level: 'all', is_automatic: true })
    expect(await levelOf('club', 'bob')).toMatchObject({ level: 'ignore', is_automatic: false })
    expect(await levelOf('club', 'cy')).toBeUndefined()
    await watch('club', 'ada', 'participating')
    expect(await levelOf('club', 'ada')).toMatchObject({ level: 'participating', is_automatic: false })
  })
})

it('a watch may name kinds of events besides its level', async () => {
  const path = '/v1/topics/kinds/watch'
  const wanted = { user_id: 'ada', level: 'participating', kinds: ['release'] }
  expect((await put(path, wanted)).body).toMatchObject(wanted)
  const change = (body: object) => carillon.request('PATCH', path, { body: { user_id: 'ada', ...body } })
  expect((await change({ level: 'all' })).body.kinds).toEqual(['release'])
  expect((await change({ kinds: [] })).body).toMatchObject({ level: 'all', kinds: [] })
  expect(problemOf(await change({ kinds: ['x'.repeat(65)] })).errors?.[0]?.field).toBe('kinds.0')
})

describeColumns(carillon, {
  longest: [
    ['topics.topic', 200, 'insert into topics (tenant_id, topic) values ($1, $2)'],
    ['topics.title', 500, `insert into topics (tenant_id, topic, title) values ($1, 'long', $2)`],
  ],
  refused: [
    [
      'a topic of no visibility',
      `insert into topics (tenant_id, topic, visibility) values ($1, 't', 'hidden')`,
      'topics_visibility_check',
    ],
  ],
})
