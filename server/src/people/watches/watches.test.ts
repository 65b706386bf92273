import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import { tokenFor } from '../../../test/user-tokens.ts'

const carillon = useCarillon()

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

it('watches are put, changed, listed and removed per person and topic', async () => {
  const watch = (level?: string) =>
    carillon.request('PUT', '/v1/topics/repo%2Fone/watch', {
      body: { user_id: 'ada', ...(level && { level }) },
    })
  expect((await watch()).body).toMatchObject({ topic: 'repo/one', user_id: 'ada', level: 'all' })
  expect((await watch('ignore')).body.level).toBe('ignore')
  expect(await carillon.readAll('/v1/topics/repo%2Fone/watches')).toMatchObject([{ level: 'ignore' }])
  const remove = () => carillon.request('DELETE', '/v1/topics/repo%2Fone/watch?user_id=ada')
  expect((await remove()).status).toBe(204)
  expect(problemOf(await remove()).code).toBe('not_found')
})

it('a person watches only topics that exist and that they may see', async () => {
  const key = await tokenFor(carillon, 'ada')
  const watch = async (topic: string) =>
    (await carillon.request('PUT', `/v1/topics/${topic}/watch`, { key, body: {} })).status
  await carillon.request('PUT', '/v1/topics/open', { body: {} })
  await carillon.request('PUT', '/v1/topics/closed', { body: { visibility: 'private' } })
  expect([await watch('open'), await watch('closed'), await watch('unheard-of')]).toEqual([200, 404, 404])
  expect((await carillon.request('GET', '/v1/topics/unheard-of')).status).toBe(404)
  await carillon.request('PUT', '/v1/topics/closed/members/ada', { body: {} })
  expect(await watch('closed')).toBe(200)
})

it('watches are listed by person, chosen ones and automatic ones', {
  tags: 'S001-14',
}, async () => {
  await carillon.putUser('grace')
  const key = await tokenFor(carillon, 'grace')
  for (const [topic, level] of [
    ['b', 'ignore'],
    ['a', 'all'],
    ['c', 'participating'],
  ] as const)
    await carillon.request('PUT', `/v1/topics/${topic}/watch`, { body: { user_id: 'grace', level } })
  const page = await carillon.request('GET', '/v1/users/grace/watches?limit=2')
  expect(page.body.data).toMatchObject([
    { topic: 'a', user_id: 'grace', level: 'all', is_automatic: false },
    { topic: 'b', level: 'ignore' },
  ])
  const rest = `/v1/users/grace/watches?cursor=${page.body.next_cursor}`
  expect((await carillon.request('GET', rest, { key })).body.data).toMatchObject([{ topic: 'c' }])
  expect((await carillon.request('GET', '/v1/users/ada/watches', { key })).status).toBe(403)
  expect(problemOf(await carillon.request('GET', '/v1/users/nobody/watches')).code).toBe('not_found')
})

it('a watch needs an existing user and a known level', async () => {
  const put = (body: object) => carillon.request('PUT', '/v1/topics/t/watch', { body })
  expect(problemOf(await put({ user_id: 'ghost' })).code).toBe('recipient_not_found')
  expect(problemOf(await put({ user_id: 'ada', level: 'sometimes' })).errors?.[0]?.field).toBe('level')
})

it.each(['a%09b', 'x'.repeat(201)])(
  'a watch of a topic that no intent could name is refused: %s',
  { tags: 'S002-35' },
  async topic => {
    const path = `/v1/topics/${topic}/watch`
    const problem = problemOf(await carillon.request('PUT', path, { body: { user_id: 'ada' } }))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'topic'])
  },
)

describeColumns(carillon, {
  longest: [
    [
      'watches.topic',
      200,
      `insert into watches (tenant_id, topic, user_id, level) values ($1, $2, 'ada', 'all')`,
    ],
  ],
  refused: [
    [
      'a watch of no level',
      `insert into watches (tenant_id, topic, user_id, level) values ($1, 't', 'ada', 'much')`,
      'watches_level_check',
    ],
  ],
})

it('the level of a watch is changed only where there is one', async () => {
  await carillon.putUser('changing')
  const path = '/v1/topics/levels/watch'
  const change = (body: object) => carillon.request('PATCH', path, { body: { user_id: 'changing', ...body } })
  expect((await change({ level: 'all' })).status).toBe(404)
  await carillon.request('PUT', path, { body: { user_id: 'changing', level: 'participating' } })
  expect((await change({})).body.level).toBe('participating')
  expect((await change({ level: 'ignore' })).body.level).toBe('ignore')
  expect((await change({ level: 'loud' })).status).toBe(400)
})
