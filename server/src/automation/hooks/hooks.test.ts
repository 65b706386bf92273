import type { CreatedHttpTrigger } from '@carillon/contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, type RequestOptions, useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'

const carillon = useCarillon()
let scriptId: string

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const create = async (more: object = {}, key = carillon.key): Promise<CreatedHttpTrigger> => {
  const body = { name: 'A hook', kind: 'http', script_id: scriptId, ...more }
  const answer = await carillon.request('POST', '/v1/triggers', { body, key })
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body
}
const pathOf = ({ url }: { url: string }) => new URL(url).pathname
const call = (hook: { url: string }, options: RequestOptions = {}, method: Method = 'POST') =>
  carillon.request(method, pathOf(hook), { key: null, ...options })
const fired = async () => (await carillon.pool.query('select * from outbox order by seq')).rows
const firstData = async () => JSON.parse((await fired())[0].payload)

beforeAll(async () => {
  scriptId = await addScript(carillon.pool, carillon.tenantId)
})
beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  await carillon.pool.query('delete from outbox')
})

describe('the address of an http trigger', () => {
  it('is shown once, below the public URL, and stored only as a hash', async () => {
    const { id, url, url_hint } = await create()
    const [origin, token] = url.split('/hooks/') as [string, string]
    expect(carillon.providers.publicUrl.startsWith(origin)).toBe(true)
    expect(token).toMatch(/^chk_[A-Za-z0-9_-]{32}$/)
    expect(url_hint).toBe(`${token.slice(0, 8)}…`)
    const shown = await carillon.request('GET', `/v1/triggers/${id}`)
    expect(JSON.stringify(shown.body)).not.toContain(token)
    const { rows } = await carillon.pool.query('select d::text as text from http_trigger_details d')
    expect(rows[0].text).not.toContain(token.slice(9))
  })

  it('runs the trigger without a key: 202 with the time and the id of its row in the outbox', async () => {
    const hook = await create()
    const answer = await call(hook, { body: { order: 7 }, headers: { 'x-shop': 'one' } })
    const [row] = await fired()
    expect([answer.status, answer.body]).toEqual([
      202,
      { accepted_at: expect.stringMatching(/^\d{4}-.*Z$/), execution_id: row.id },
    ])
    expect(row).toMatchObject({
      ...{ tenant_id: carillon.tenantId, source_kind: 'http', op: 'request', target_id: hook.id },
      context: { trigger_id: hook.id, script_id: scriptId, origin: 'ip:127.0.0.1' },
    })
    expect(await firstData()).toMatchObject({
      ...{ method: 'POST', query: {}, body: '{"order":7}', json: { order: 7 } },
      headers: { 'content-type': 'application/json', 'x-shop': 'one' },
    })
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'takes %s if it is configured to',
    async method => {
      const [open, other] = [
        await create({ config: { methods: [method] } }),
        await create({ config: { methods: [method === 'GET' ? 'PUT' : 'GET'] } }),
      ]
      expect((await call(open, {}, method)).status).toBe(202)
      const refused = await call(other, {}, method)
      expect(problemOf(refused)).toMatchObject({ status: 405, code: 'method_not_allowed' })
      expect(refused.headers.allow).toBe(method === 'GET' ? 'PUT' : 'GET')
      expect(await fired()).toHaveLength(1)
    },
  )

  it('is unknown if it is wrong, replaced, disabled or removed, and nobody can tell which', async () => {
    const [wrong, replaced, disabled, removed] = [
      await create(),
      await create(),
      await create(),
      await create(),
    ]
    wrong.url = `${wrong.url.slice(0, -1)}${wrong.url.endsWith('A') ? 'B' : 'A'}`
    const rotated = await carillon.request('POST', `/v1/triggers/${replaced.id}/rotate-url`, { body: {} })
    await carillon.request('PATCH', `/v1/triggers/${disabled.id}`, { body: { is_enabled: false } })
    await carillon.request('DELETE', `/v1/triggers/${removed.id}`)
    const details = new Set<string>()
    for (const hook of [wrong, replaced, disabled, removed, { url: 'http://x/hooks/0' }]) {
      for (const method of ['GET', 'POST'] as const) {
        const problem = problemOf(await call(hook, {}, method))
        expect(problem.status).toBe(404)
        details.add(problem.detail)
      }
    }
    expect(details.size).toBe(1)
    expect(await fired()).toEqual([])
    expect((await call(rotated.body)).status).toBe(202)
    await carillon.request('PATCH', `/v1/triggers/${disabled.id}`, { body: { is_enabled: true } })
    expect((await call(disabled)).status).toBe(202)
  })

  it('can only be replaced where there is one', async () => {
    const body = { name: 'x', kind: 'queue', config: { queue: 'a' }, script_id: scriptId }
    const { id } = (await carillon.request('POST', '/v1/triggers', { body })).body
    expect(
      problemOf(await carillon.request('POST', `/v1/triggers/${id}/rotate-url`, { body: {} })).status,
    ).toBe(404)
  })
})

describe('the event', () => {
  it('has the query and the headers, without credentials and without those of the connection', async () => {
    const hook = await create({ config: { methods: ['GET'] } })
    await carillon.request('GET', `${pathOf(hook)}?a=1&b=2&b=3&__proto__=4`, {
      key: 'ck_somebodys',
      headers: {
        Cookie: 'session=1',
        Connection: 'close, X-Hop',
        'X-Hop': '1',
        'Keep-Alive': 'timeout=5',
        TE: 'trailers',
        'Proxy-Authorization': 'Basic eA==',
        'X-Signature': 'abc',
      },
    })
    const { query, headers, body, json } = await firstData()
    expect(query).toEqual(JSON.parse('{"a": "1", "b": ["2", "3"], "__proto__": "4"}'))
    expect(Object.keys(headers).sort()).toEqual(['host', 'user-agent', 'x-signature'])
    expect([body, json]).toEqual(['', null])
  })

  it.each<[string, string, string | Buffer, { body: string; json: unknown }]>([
    [
      'JSON of another type',
      'application/cloudevents+json; charset=utf-8',
      '[1]',
      { body: '[1]', json: [1] },
    ],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=2', { body: 'a=1&b=2', json: null }],
    ['text that looks like JSON', 'text/plain', '{"a":1}', { body: '{"a":1}', json: null }],
    ['broken JSON', 'application/json', '{"a":', { body: '{"a":', json: null }],
    [
      'JSON with NUL',
      'application/json',
      '{"a":"\\u0000"}',
      { body: '{"a":"\\u0000"}', json: { a: '\uFFFD' } },
    ],
    [
      'bytes that are no text',
      'application/octet-stream',
      Buffer.from([0x41, 0xff, 0]),
      { body: 'A\uFFFD\uFFFD', json: null },
    ],
  ])('of %s', async (_what, type, rawBody, expected) => {
    const answer = await call(await create(), { rawBody, headers: { 'content-type': type } })
    expect([answer.status, answer.body]).toEqual([202, answer.body])
    expect(await firstData()).toMatchObject(expected)
    await carillon.pool.query('select payload::jsonb from outbox')
  })

  it('of a body without a type', async () => {
    const url = pathOf(await create())
    expect((await carillon.api.inject({ method: 'POST', url, payload: Buffer.from('x') })).statusCode).toBe(
      202,
    )
    expect(await firstData()).toMatchObject({ body: 'x', json: null })
  })

  it('has no JSON that is nested so deeply that it would take the stack of whoever walks through it', async () => {
    const rawBody = '['.repeat(100_000) + ']'.repeat(100_000)
    expect((await call(await create(), { rawBody })).status).toBe(202)
    expect(await firstData()).toMatchObject({ body: rawBody, json: null })
  })

  it.each([
    ['a larger body', { rawBody: 'x'.repeat(256 * 1024 + 1) }, 'payload_too_large'],
    ['a body that grows beyond the limit', { rawBody: '\u0001'.repeat(256 * 1024) }, 'payload_too_large'],
    [
      'a compressed body',
      { rawBody: 'x', headers: { 'content-encoding': 'gzip' } },
      'unsupported_media_type',
    ],
  ])('refuses %s', async (_what, options, code) => {
    expect(problemOf(await call(await create(), options)).code).toBe(code)
    expect(await fired()).toEqual([])
  })

  it('takes a body of 256 KiB', async () => {
    expect((await call(await create(), { rawBody: 'x'.repeat(256 * 1024) })).status).toBe(202)
  })
})

describe('a tenant', () => {
  it('runs only its own: the address decides, whatever key comes with it', { tags: 'S003-4' }, async () => {
    const elsewhere = await carillon.createTenant('elsewhere')
    const script_id = await addScript(carillon.pool, elsewhere.id)
    const theirs = await create({ script_id }, elsewhere.key)
    await create()
    expect((await call(theirs, { key: carillon.key })).status).toBe(202)
    expect(await fired()).toMatchObject([{ tenant_id: elsewhere.id, target_id: theirs.id }])
  })

  it('that is suspended is refused like all its calls, without a word about why', async () => {
    const elsewhere = await carillon.createTenant('suspended')
    const script_id = await addScript(carillon.pool, elsewhere.id)
    const hook = await create({ script_id }, elsewhere.key)
    const body = { reason: 'unpaid bills' }
    await carillon.request('POST', `/v1/tenants/${elsewhere.id}/suspend`, { body })
    const problem = problemOf(await call(hook))
    expect([problem.code, problem.detail.includes('unpaid')]).toEqual(['tenant_suspended', false])
    expect(await fired()).toEqual([])
  })

  it('has no more calls than its operator allows it, whatever it is called with', async () => {
    const elsewhere = await carillon.createTenant('limited')
    const script_id = await addScript(carillon.pool, elsewhere.id)
    const hook = await create({ script_id }, elsewhere.key)
    const limit = (quota: object) =>
      carillon.request('PATCH', `/v1/tenants/${elsewhere.id}`, { body: { quota } })
    await limit({ requests_per_minute: 3 })
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await call(hook)).status)
    expect(statuses).toEqual([202, 202, 202, 429, 429])
    const refused = await call(hook)
    expect([problemOf(refused).code, Number(refused.headers['retry-after']) > 0]).toEqual([
      'rate_limited',
      true,
    ])
    await limit({ requests_per_minute: null, storage_mb: 1 })
    await carillon.pool.query('update tenants set storage_bytes = 2000000 where id = $1', [elsewhere.id])
    expect(problemOf(await call(hook)).code).toBe('quota_exceeded')
  })
})
