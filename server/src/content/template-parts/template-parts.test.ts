import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { DEFAULT_LAYOUT } from './default-layout.ts'

const carillon = useCarillon()
const put = (path: string, source: string, key?: string) =>
  carillon.request('PUT', `/v1/template-parts/${path}`, { body: { source }, ...(key && { key }) })
const get = (path: string, key?: string) =>
  carillon.request('GET', `/v1/template-parts/${path}`, key === undefined ? {} : { key })
const LAYOUT = '<html><head><title>{{ subject }}</title></head><body>{{ content }}</body></html>'

it('layouts and partials are saved, listed and deleted', async () => {
  expect((await put('layout/plain', LAYOUT)).body).toMatchObject({
    kind: 'layout',
    name: 'plain',
    is_built_in: false,
  })
  await put('partial/button', '<a href="{{ url }}">x</a>')
  await put('partial/button', '<a href="{{ url }}">y</a>')
  const { data } = (await carillon.request('GET', '/v1/template-parts')).body
  expect(data.map((part: Record<string, string>) => `${part.kind} ${part.name}`)).toEqual([
    'layout default',
    'layout plain',
    'partial button',
  ])
  expect((await get('partial/button')).body.source).toContain('>y<')
  expect((await carillon.request('DELETE', '/v1/template-parts/partial/button')).status).toBe(204)
  expect((await get('partial/button')).status).toBe(404)
  expect((await carillon.request('DELETE', '/v1/template-parts/partial/button')).status).toBe(404)
})

it('a tenant’s own default layout replaces the built-in one', async () => {
  expect((await get('layout/default')).body).toMatchObject({ source: DEFAULT_LAYOUT, is_built_in: true })
  expect((await put('layout/default', DEFAULT_LAYOUT)).body.is_built_in).toBe(false)
})

it.each([
  ['a layout without a place for the body', 'layout/x', '<p>x</p>', /\{\{ content \}\} exactly once/],
  ['a layout with two places for the body', 'layout/x', '{{ content }}{{ content }}', /once/],
  [
    'a layout with a variable of some payload',
    'layout/x',
    '{{ content }}{{ order }}',
    /can use only .* not "order"/,
  ],
  ['broken Liquid', 'partial/x', '{% if %}', /./],
  ['a computed partial', 'partial/x', '{% render x %}', /written out/],
])('PUT /v1/template-parts refuses %s', async (_what, path, source, message) => {
  const problem = problemOf(await put(path, source))
  expect(problem).toMatchObject({ code: 'invalid_template', errors: [{ field: 'source' }] })
  expect(problem.errors?.[0]?.message).toMatch(message)
})

it('a template part with an invalid name or of an unknown kind is refused', async () => {
  expect((await put('partial/A B', 'x')).status).toBe(400)
  expect((await put("partial/it's", 'x')).status).toBe(400)
  expect((await put('footer/x', 'x')).status).toBe(400)
})

it('a template part is invisible to another tenant', async () => {
  await put('partial/mine', 'x')
  const { key } = await carillon.createTenant('other parts')
  expect((await get('partial/mine', key)).status).toBe(404)
})

it('a tenant can have 200 template parts, and still change them', async () => {
  const { id, key } = await carillon.createTenant('full of parts')
  await carillon.pool.query(
    `insert into template_parts (tenant_id, kind, name, source)
     select $1, 'partial', 'p' || i, 'x' from generate_series(1, 200) i`,
    [id],
  )
  expect((await put('partial/p1', 'y', key)).status).toBe(200)
  expect((await put('partial/one-more', 'y', key)).status).toBe(400)
})

it('a PATCH of a template part is checked like a PUT, and creates nothing', async () => {
  const path = '/v1/template-parts/partial/changing'
  const change = (body: object) => carillon.request('PATCH', path, { body })
  expect((await change({ source: 'Hello' })).status).toBe(404)
  await carillon.request('PUT', path, { body: { source: 'Hello' } })
  expect((await change({})).body.source).toBe('Hello')
  expect((await change({ source: 'Hi' })).body.source).toBe('Hi')
  expect((await change({ source: '{% if %}' })).status).toBe(400)
  expect((await carillon.request('GET', path)).body.source).toBe('Hi')
  await carillon.request('DELETE', path)
})
