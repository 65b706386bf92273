import { beforeAll, beforeEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'

const carillon = useCarillon()
const path = (name: string, user = 'ada') => `/v1/saved-filters/${encodeURIComponent(name)}?user_id=${user}`
const put = (name: string, body: object = { query: 'is:unread' }, user = 'ada') =>
  carillon.request('PUT', path(name, user), { body })
const names = async (user = 'ada') =>
  (await carillon.request('GET', `/v1/saved-filters?user_id=${user}`)).body.data.map(
    ({ name }: { name: string }) => name,
  )

beforeAll(async () => {
  for (const user of ['ada', 'bob']) await carillon.putUser(user)
})
beforeEach(() => carillon.pool.query('delete from saved_filters'))

it('saved filters are put, replaced, listed in their order and removed, per person', async () => {
  await put('later', { query: 'is:saved', position: 2 })
  await put('mine', { query: 'reason:mention', position: 1 })
  await put('of bob', undefined, 'bob')
  expect(await names()).toEqual(['mine', 'later'])
  expect((await put('later', { query: 'is:snoozed' })).body).toMatchObject({
    query: 'is:snoozed',
    position: 0,
  })
  expect(await names()).toEqual(['later', 'mine'])
  const remove = (user: string) => carillon.request('DELETE', path('mine', user))
  expect([(await remove('bob')).status, (await remove('ada')).status, (await remove('ada')).status]).toEqual([
    404, 204, 404,
  ])
})

it('saved filters are changed field by field', async () => {
  const change = (body: object, user = 'ada') => carillon.request('PATCH', path('mine', user), { body })
  await put('mine', { query: 'is:saved', position: 2 })
  expect((await change({ query: 'is:unread' })).body).toMatchObject({ query: 'is:unread', position: 2 })
  expect((await change({ position: 0 })).body).toMatchObject({ query: 'is:unread', position: 0 })
  expect(problemOf(await change({ query: 'colour:red' })).errors).toMatchObject([{ field: 'query' }])
  expect((await change({ position: 1 }, 'bob')).status).toBe(404)
})

it('a saved filter needs a valid query and an existing person', async () => {
  const problem = problemOf(await put('wrong', { query: 'is:unread colour:red' }))
  expect(problem.errors).toMatchObject([{ field: 'query', column: 11 }])
  expect((await put('x', undefined, 'ghost')).status).toBe(404)
  expect((await carillon.request('GET', '/v1/saved-filters?user_id=ghost')).status).toBe(404)
})

it('a person has at most 50 saved filters, also if several are saved at once', async () => {
  for (let i = 1; i < 50; i++) await put(`f${i}`)
  const last = await Promise.all(['a', 'b', 'c'].map(name => put(name)))
  expect(last.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect(problemOf(last.find(({ status }) => status === 400)!).code).toBe('too_many_items')
  expect((await put('f1', { query: 'is:done' })).status).toBe(200)
  expect(await names()).toHaveLength(50)
})

describeColumns(carillon, {
  longest: [
    [
      'saved_filters.name',
      100,
      `insert into saved_filters (tenant_id, user_id, name, query) values ($1, 'ada', $2, 'q')`,
    ],
    [
      'saved_filters.query',
      500,
      `insert into saved_filters (tenant_id, user_id, name, query) values ($1, 'ada', 'q', $2)`,
    ],
  ],
})
