import type { CreatedTrigger, Trigger } from '@carillon/contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'

const carillon = useCarillon()
const UNKNOWN = '01900000-0000-7000-8000-000000000000'
let scriptId: string

const post = (body: object, key = carillon.key) => carillon.request('POST', '/v1/triggers', { body, key })
const create = async (more: object, key?: string): Promise<CreatedTrigger> => {
  const answer = await post({ name: 'A trigger', script_id: scriptId, ...more }, key)
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body
}
const get = async (id: string): Promise<Trigger> => (await carillon.request('GET', `/v1/triggers/${id}`)).body
const change = (id: string, body: object, key = carillon.key) =>
  carillon.request('PATCH', `/v1/triggers/${id}`, { body, key })
const names = async (query: string) =>
  (await carillon.readAll(`/v1/triggers?${query}`, 2)).map(({ name }) => name)

const CONFIGS = {
  kv: { collection: 'orders:*', ops: ['insert', 'delete'] },
  cron: { cron: '30 8 * * 1-5', timezone: 'Europe/Berlin', misfire_policy: 'skip' },
  event: { event_kind: 'issue_*', topic: 'repo-1' },
  queue: { queue: 'imports' },
  email: { address: 'support@example.com' },
  http: { methods: ['GET', 'POST'] },
  dead_letter: { source: 'kv', trigger_id: UNKNOWN, script_id: null },
}
const KINDS = Object.entries(CONFIGS)

beforeAll(async () => {
  scriptId = await addScript(carillon.pool, carillon.tenantId)
})
beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
})

describe('/v1/triggers', () => {
  it.each(KINDS)(
    'of the kind %s is created with its configuration, and read back',
    { tags: 'S003-1' },
    async (kind, config) => {
      const { url, ...created } = (await create({ kind, config })) as CreatedTrigger & { url?: string }
      expect(created).toMatchObject({
        ...{ kind, config, script_id: scriptId, is_enabled: true, dispatch_mode: 'async' },
        retry: { max_attempts: 3, backoff: 'exponential', base_ms: 1000 },
      })
      expect(url === undefined).toBe(kind !== 'http')
      expect(await get(created.id)).toEqual(created)
      expect(await carillon.readAll('/v1/triggers')).toEqual([created])
    },
  )

  it('fills in what is left out of a configuration', async () => {
    const configs = await Promise.all(
      [
        create({ kind: 'kv', config: { collection: '*' } }),
        create({ kind: 'cron', config: { cron: '@daily' } }),
        create({ kind: 'event', config: { event_kind: '*' } }),
        create({ kind: 'http' }),
        create({ kind: 'dead_letter' }),
        create({ kind: 'email', config: { address: 'Help@Example.com' } }),
      ].map(async trigger => (await trigger).config),
    )
    expect(configs).toEqual([
      { collection: '*', ops: [] },
      { cron: '@daily', timezone: 'UTC', misfire_policy: 'run_once' },
      { event_kind: '*', topic: null },
      { methods: ['POST'] },
      { source: null, trigger_id: null, script_id: null },
      { address: 'help@example.com' },
    ])
  })

  it('lists newest first, by kind, script and state', async () => {
    const other = await addScript(carillon.pool, carillon.tenantId)
    await create({ name: 'one', kind: 'queue', config: { queue: 'a' } })
    await create({ name: 'two', kind: 'queue', config: { queue: 'b' }, is_enabled: false })
    await create({ name: 'three', kind: 'http', script_id: other })
    expect(await names('')).toEqual(['three', 'two', 'one'])
    expect(await names('kind=queue')).toEqual(['two', 'one'])
    expect(await names(`script_id=${other}`)).toEqual(['three'])
    expect(await names('state=enabled')).toEqual(['three', 'one'])
    expect(await names('state=disabled&kind=queue')).toEqual(['two'])
  })

  it.each(KINDS)(
    'of the kind %s: a detail that fails leaves no parent',
    { tags: 'S003-1' },
    async (kind, config) => {
      const table = `${kind}_trigger_details`
      await carillon.pool.query(`alter table ${table} add constraint broken check (false) not valid`)
      const before = await carillon.rowCounts()
      expect((await post({ name: 'x', kind, script_id: scriptId, config })).status).toBe(500)
      await carillon.pool.query(`alter table ${table} drop constraint broken`)
      expect(await carillon.rowCounts()).toEqual(before)
    },
  )

  it.each([
    ['an unknown kind', { kind: 'dream', config: {} }, 'kind'],
    ['an empty glob', { kind: 'kv', config: { collection: '' } }, 'config.collection'],
    ['a star in the middle', { kind: 'kv', config: { collection: 'a*b' } }, 'config.collection'],
    ['two stars', { kind: 'queue', config: { queue: 'a**' } }, 'config.queue'],
    [
      'a collection that cannot exist',
      { kind: 'kv', config: { collection: 'my orders' } },
      'config.collection',
    ],
    ['a queue that cannot exist', { kind: 'queue', config: { queue: 'a/*' } }, 'config.queue'],
    ['an unknown source', { kind: 'dead_letter', config: { source: 'webhooks' } }, 'config.source'],
    ['an unknown op', { kind: 'kv', config: { collection: '*', ops: ['upsert'] } }, 'config.ops.0'],
    ['a configuration of another kind', { kind: 'kv', config: { queue: 'a' } }, 'config.collection'],
    ['no configuration', { kind: 'cron' }, 'config'],
    ['an unreadable expression', { kind: 'cron', config: { cron: 'often' } }, 'config.cron'],
    ['an expression that never matches', { kind: 'cron', config: { cron: '0 0 30 2 *' } }, 'config.cron'],
    ['an unknown zone', { kind: 'cron', config: { cron: '@daily', timezone: 'Mars' } }, 'config.timezone'],
    ['what is no address', { kind: 'email', config: { address: 'support' } }, 'config.address'],
    ['no method', { kind: 'http', config: { methods: [] } }, 'config.methods'],
    ['sync without http', { kind: 'queue', config: { queue: 'a' }, dispatch_mode: 'sync' }, 'dispatch_mode'],
    ['a policy beyond the limits', { kind: 'http', retry: { max_attempts: 51 } }, 'retry.max_attempts'],
  ])('refuses %s', { tags: 'S003-5' }, async (_what, body, field) => {
    const answer = await post({ name: 'x', script_id: scriptId, ...body })
    expect(problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(problemOf(answer).errors!.map(error => error.field)).toContain(field)
    expect(await carillon.readAll('/v1/triggers')).toEqual([])
  })
})

describe('the retry policy', () => {
  it('is copied from the tenant’s settings; changing those later does not alter it', {
    tags: 'S003-2',
  }, async () => {
    const settings = { trigger_max_attempts: 7, trigger_backoff: 'linear', trigger_base_ms: 250 }
    const tenant = await carillon.request('PATCH', '/v1/tenant', { body: settings })
    expect(tenant.body).toMatchObject(settings)
    const { id } = await create({ kind: 'http' })
    const own = await create({ kind: 'http', retry: { max_attempts: 1 } })
    const later = { trigger_max_attempts: 3, trigger_backoff: 'exponential', trigger_base_ms: 1000 }
    await carillon.request('PATCH', '/v1/tenant', { body: later })
    expect((await get(id)).retry).toEqual({ max_attempts: 7, backoff: 'linear', base_ms: 250 })
    expect(own.retry).toEqual({ max_attempts: 1, backoff: 'linear', base_ms: 250 })
    await change(id, { name: 'renamed', is_enabled: false })
    expect((await get(id)).retry).toEqual({ max_attempts: 7, backoff: 'linear', base_ms: 250 })
  })

  it('is what a replay uses, as it is then', { tags: 'S003-2' }, async () => {
    const { id } = await create({ kind: 'queue', config: { queue: 'a' } })
    await change(id, { retry: { max_attempts: 9, backoff: 'constant' } })
    const policy = (kind: string) =>
      carillon.pool.query('select * from target_policy($1, $2, $3)', [carillon.tenantId, kind, id])
    expect((await policy('queue')).rows).toEqual([
      { max_attempts: 9, backoff: 'constant', base_ms: 1000, cap_ms: null },
    ])
    expect((await policy('kv')).rows).toEqual([])
  })
})

describe('changing', () => {
  it('keeps what is left out, also inside the configuration', async () => {
    const { id, ...created } = await create({ kind: 'cron', config: CONFIGS.cron })
    const answer = await change(id, { name: 'Later', config: { misfire_policy: 'run_all' } })
    expect(answer.body).toEqual({
      id,
      ...created,
      name: 'Later',
      config: { ...CONFIGS.cron, misfire_policy: 'run_all' },
      updated_at: expect.any(String),
    })
    const { updated_at: _, ...same } = (await change(id, {})).body
    expect(answer.body).toMatchObject(same)
  })

  it.each(KINDS)('of the kind %s stores another configuration', async (kind, config) => {
    const others: Record<string, object> = {
      kv: { collection: 'x' },
      cron: { cron: '@hourly' },
      event: { topic: null },
      queue: { queue: '*' },
      email: { address: 'b@example.com' },
      http: { methods: ['DELETE'] },
      dead_letter: { source: null },
    }
    const { id } = await create({ kind, config })
    const answer = await change(id, { config: others[kind] })
    expect(answer.body.config).toEqual({ ...config, ...others[kind] })
    expect(await get(id)).toEqual(answer.body)
  })

  it.each([
    ['a configuration of another kind', { config: { collection: 'x' } }, 'config.collection'],
    ['an empty queue', { config: { queue: '' } }, 'config.queue'],
    ['sync', { dispatch_mode: 'sync' }, 'dispatch_mode'],
    ['another kind', { kind: 'kv' }, 'kind'],
  ])('refuses %s', async (_what, changes, field) => {
    const { id, ...created } = await create({ kind: 'queue', config: { queue: 'a' } })
    expect(problemOf(await change(id, changes))).toMatchObject({ status: 400, errors: [{ field }] })
    expect(await get(id)).toEqual({ id, ...created })
  })

  it('leaves an audit row that names what changed, and never the address', async () => {
    const created = (await create({ kind: 'http' })) as CreatedTrigger & { url: string }
    const { id } = created
    await change(id, { name: 'Renamed' })
    const rotated = await carillon.request('POST', `/v1/triggers/${id}/rotate-url`, { body: {} })
    await carillon.request('DELETE', `/v1/triggers/${id}`)
    const rows = await carillon.readAll(`/v1/audit-logs?resource_type=trigger&resource_id=${id}`)
    expect(rows.map(({ action }) => action)).toEqual(['delete', 'rotate_url', 'update', 'create'])
    expect(rows[2]).toMatchObject({ old_values: { name: 'A trigger' }, new_values: { name: 'Renamed' } })
    expect(rows[1].new_values).toEqual({ url_hint: rotated.body.url_hint })
    for (const { url } of [created, rotated.body])
      expect(JSON.stringify(rows)).not.toContain(url.slice(url.lastIndexOf('/') + 9))
  })
})

describe('another tenant', () => {
  it('is answered like somebody who asks for what does not exist', { tags: 'S003-4' }, async () => {
    const { id } = await create({ kind: 'http' })
    const { key } = await carillon.createTenant('elsewhere')
    for (const [method, path] of [
      ['GET', `/v1/triggers/${id}`],
      ['PATCH', `/v1/triggers/${id}`],
      ['DELETE', `/v1/triggers/${id}`],
      ['POST', `/v1/triggers/${id}/rotate-url`],
    ] as const) {
      const answer = await carillon.request(method, path, { key, body: {} })
      const missing = await carillon.request(method, path.replace(id, UNKNOWN), { body: {} })
      expect([method, problemOf(answer).code]).toEqual([method, 'not_found'])
      expect(problemOf(answer).detail.replace(id, UNKNOWN)).toBe(problemOf(missing).detail)
    }
    expect(await carillon.readAll('/v1/triggers', 10, key)).toEqual([])
    expect((await get(id)).name).toBe('A trigger')
  })

  it('cannot be made to run: the script must belong to the same tenant', { tags: 'S003-4' }, async () => {
    const elsewhere = await carillon.createTenant('with a script')
    const foreign = await addScript(carillon.pool, elsewhere.id)
    const { id } = await create({ kind: 'http' })
    for (const script_id of [foreign, UNKNOWN]) {
      for (const answer of [
        await post({ name: 'x', kind: 'http', script_id }),
        await change(id, { script_id }),
      ]) {
        expect(problemOf(answer)).toMatchObject({ code: 'not_found', errors: [{ field: 'script_id' }] })
      }
    }
    expect((await get(id)).script_id).toBe(scriptId)
  })

  it('needs triggers:read to look and triggers:write to change', { tags: 'S003-4' }, async () => {
    const { key: reader } = await carillon.createKey({ name: 'reader', scopes: ['triggers:read'] })
    const { key: writer } = await carillon.createKey({ name: 'writer', scopes: ['triggers:write'] })
    const body = { name: 'x', kind: 'http', script_id: scriptId }
    expect(problemOf(await post(body, reader)).code).toBe('forbidden')
    const { id } = await create(body, writer)
    const ask = (method: 'GET' | 'PATCH' | 'DELETE', key: string | null) =>
      carillon.request(method, `/v1/triggers/${id}`, { key, ...(method === 'PATCH' && { body: {} }) })
    expect((await ask('GET', reader)).status).toBe(200)
    expect(problemOf(await ask('GET', writer)).code).toBe('forbidden')
    for (const method of ['PATCH', 'DELETE'] as const) {
      expect(problemOf(await ask(method, reader)).code).toBe('forbidden')
      expect(problemOf(await ask(method, null)).code).toBe('unauthenticated')
    }
    expect((await ask('PATCH', writer)).status).toBe(200)
    expect((await ask('DELETE', writer)).status).toBe(204)
  })
})

describe('removing', () => {
  it.each(KINDS)('a script removes its triggers of the kind %s with their details', async (kind, config) => {
    const script_id = await addScript(carillon.pool, carillon.tenantId)
    const { id } = await create({ kind, config, script_id })
    await carillon.pool.query('delete from scripts where id = $1', [script_id])
    expect((await carillon.request('GET', `/v1/triggers/${id}`)).status).toBe(404)
    const { rows } = await carillon.pool.query(`select from ${kind}_trigger_details where trigger_id = $1`, [
      id,
    ])
    expect(rows).toEqual([])
  })
})
