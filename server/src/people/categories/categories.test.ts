import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const put = (category: string, body: object) =>
  carillon.request('PUT', `/v1/categories/${encodeURIComponent(category)}`, { body })
const get = async (path: string) => (await carillon.request('GET', path)).body
const WHOLE = { name: 'Your orders', description: 'Shipping and returns', required: true, position: 3 }
const PLAIN = { name: '', description: '', required: false, position: 0 }

it('a category has a name, a description, a flag and a position', async () => {
  const { status, body } = await put('orders', WHOLE)
  expect([status, body]).toEqual([200, { category: 'orders', ...WHOLE, ...times(body) }])
  expect(await get('/v1/categories/orders')).toEqual(body)
})

it('a category is replaced by PUT and changed by PATCH', async () => {
  await put('orders', WHOLE)
  const changed = await carillon.request('PATCH', '/v1/categories/orders', { body: { required: false } })
  expect(changed.body).toMatchObject({ ...WHOLE, required: false })
  expect((await put('orders', {})).body).toMatchObject(PLAIN)
})

it('categories are listed by position and name, and each tenant has its own', async () => {
  for (const { category } of (await get('/v1/categories')).data)
    await carillon.request('DELETE', `/v1/categories/${category}`)
  await put('b', { position: 1 })
  await put('c', {})
  await put('a', { position: 1 })
  const { key } = await carillon.createTenant('other')
  await carillon.request('PUT', '/v1/categories/theirs', { key, body: {} })
  const listed = (await get('/v1/categories')).data.map((row: { category: string }) => row.category)
  expect(listed).toEqual(['c', 'a', 'b'])
  expect((await carillon.request('GET', '/v1/categories/a', { key })).status).toBe(404)
})

it('a category may have any name that a type may give, and is gone when deleted', async () => {
  const category = 'Ångström & söhne / 7'
  await put(category, {})
  const path = `/v1/categories/${encodeURIComponent(category)}`
  expect((await get(path)).category).toBe(category)
  expect((await carillon.request('DELETE', path)).status).toBe(204)
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect(problemOf(await carillon.request(method, path, { body: {} })).code).toBe('not_found')
})

it.each([
  ['a name with a line break', { name: 'a\nb' }, 'name'],
  ['a name that is too long', { name: 'x'.repeat(101) }, 'name'],
  ['a place before the first', { position: -1 }, 'position'],
  ['an unknown field', { requird: true }, 'requird'],
])('a category with %s is refused with the field', async (_name, body, field) => {
  const problem = problemOf(await put('orders', body))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', field])
})

const times = (body: { created_at: string; updated_at: string }) => ({
  created_at: body.created_at,
  updated_at: body.updated_at,
})
