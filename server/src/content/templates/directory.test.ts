import { uuidv7 } from 'uuidv7'
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createTemplateDirectory, type TemplateRoute } from './directory.ts'

const carillon = useCarillon()
const ids: Record<string, string> = {}

async function publish(name: string, body: object): Promise<void> {
  const path = `/v1/templates/${name}/sms/en`
  await carillon.request('PUT', path, { body })
  ids[name] = (await carillon.request('POST', `${path}/publish`, { body: {} })).body.id
}

function route(name: string | null, more: Partial<TemplateRoute> = {}): TemplateRoute {
  return {
    tenant_id: carillon.tenantId,
    notification_id: uuidv7(),
    notification_type: 'test',
    user_id: null,
    resolved_address: '+4915112345678',
    resolved_locale: 'en',
    timezone: 'UTC',
    template_version_id: name === null ? null : ids[name]!,
    ...more,
  }
}

/** A pool that counts what it is asked. */
function counting(pool: Pool): Pool & { statements: string[] } {
  const statements: string[] = []
  return {
    statements,
    query: (text: string, values: unknown[]) => {
      statements.push(text)
      return pool.query(text, values)
    },
  } as unknown as Pool & { statements: string[] }
}

beforeAll(async () => {
  for (let i = 0; i < 20; i++) await publish(`t${i}`, { body: `${i} {{ n }}`, variables: [{ name: 'n' }] })
  await publish('loop', {
    body: '{% for i in (1..1000) %}{% for j in (1..1000) %}{{ i }}{% endfor %}{% endfor %}',
  })
  await publish('large', {
    body: '{% for i in (1..1000) %}{{ text }}{% endfor %}',
    variables: [{ name: 'text' }],
  })
})

it('filling in 500 templates takes at most four statements, and none the second time', async () => {
  const pool = counting(carillon.pool)
  const directory = createTemplateDirectory({ pool, rememberMs: 60_000 })
  const batch = () =>
    Promise.all(Array.from({ length: 500 }, (_, i) => directory.fillTemplate(route(`t${i % 20}`), { n: i })))
  const results = await batch()
  expect(results[41]).toEqual({
    kind: 'content',
    content: { subject: '', text: '1 41', html: null },
    declaredFields: ['n'],
  })
  const versions = pool.statements.filter(text => text.includes('compiled'))
  expect(versions).toHaveLength(1)
  expect(pool.statements.length).toBeLessThanOrEqual(4)
  const before = pool.statements.length
  await batch()
  expect(pool.statements).toHaveLength(before)
})

it('translating for routes without a template takes no further statements', async () => {
  const pool = counting(carillon.pool)
  const directory = createTemplateDirectory({ pool, rememberMs: 60_000 })
  await directory.fillTemplate(route('t1'), { n: 1 })
  const before = pool.statements.length
  const translations = await Promise.all(
    Array.from({ length: 100 }, () => directory.translateFor(route(null))),
  )
  expect(translations[0]!('links.unsubscribe', {})).toBe('Unsubscribe')
  expect(pool.statements).toHaveLength(before)
})

it('a route without a template takes no statement', async () => {
  const pool = counting(carillon.pool)
  const directory = createTemplateDirectory({ pool })
  expect(await directory.fillTemplate(route(null), {})).toBeUndefined()
  expect(pool.statements).toEqual([])
})

it('a template version that is gone or another tenant’s fails with a reason', async () => {
  const directory = createTemplateDirectory({ pool: carillon.pool })
  const gone = { kind: 'permanent', message: 'The template version it was accepted with no longer exists.' }
  expect(await directory.fillTemplate(route('t1', { template_version_id: uuidv7() }), {})).toMatchObject(gone)
  const { id } = await carillon.createTenant('other directory')
  expect(await directory.fillTemplate(route('t1', { tenant_id: id }), { n: 1 })).toMatchObject(gone)
})

it('a template that cannot be parsed does not stop the others of its batch', async () => {
  await publish('old', { body: 'x' })
  await carillon.pool.query(
    `update template_versions set compiled = jsonb_set(compiled, '{text,source}', '"{% gone %}"') where id = $1`,
    [ids.old],
  )
  const directory = createTemplateDirectory({ pool: carillon.pool })
  const [old, good] = await Promise.all([
    directory.fillTemplate(route('old'), {}),
    directory.fillTemplate(route('t1'), { n: 1 }),
  ])
  expect(old).toMatchObject({ kind: 'permanent', message: expect.stringMatching(/"gone" not found/) })
  expect(good).toMatchObject({ kind: 'content' })
})

it('hostile templates stop within their limit, and other work runs in between', {
  tags: 'S002-12',
}, async () => {
  const directory = createTemplateDirectory({ pool: carillon.pool, rememberMs: 60_000 })
  await directory.fillTemplate(route('t1'), { n: 1 })
  let turns = 0
  let isOver = false
  const others = () => {
    turns++
    if (!isOver) setImmediate(others)
  }
  const asked = [
    ...Array.from({ length: 20 }, () => directory.fillTemplate(route('loop'), {})),
    ...Array.from({ length: 20 }, () => directory.fillTemplate(route('large'), { text: 'x'.repeat(60_000) })),
  ]
  setImmediate(others)
  const answers = await Promise.all(asked)
  isOver = true
  for (const answer of answers) {
    expect(answer?.kind).not.toBe('content')
    expect(answer).toMatchObject({ message: expect.stringMatching(/more work|takes longer/) })
  }
  // Each of the loops takes longer than a slice, so other work runs after each.
  expect(turns).toBeGreaterThanOrEqual(20)
})

it('changed branding and a deactivated template take effect within a second', async () => {
  let now = Date.now()
  await publish('present', { body: '{{ branding.name }}' })
  const directory = createTemplateDirectory({ pool: carillon.pool, now: () => now })
  const result = () => directory.fillTemplate(route('present'), {})
  const setName = (name: string) => carillon.request('PATCH', '/v1/branding', { body: { name } })
  await setName('Old')
  expect(await result()).toMatchObject({ content: { text: 'Old' } })
  await setName('New')
  expect(await result()).toMatchObject({ content: { text: 'Old' } })
  now += 1001
  expect(await result()).toMatchObject({ content: { text: 'New' } })
  await carillon.request('PATCH', '/v1/templates/present/sms/en', { body: { is_active: false } })
  now += 1001
  expect(await result()).toMatchObject({ kind: 'permanent' })
})
