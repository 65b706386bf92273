import type { NewScript, Scope, Script } from '@carillon/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'
import { getRunnable } from './scripts.ts'

const carillon = useCarillon()
const UNKNOWN = '01900000-0000-7000-8000-000000000000'

beforeEach(() => carillon.pool.query('delete from scripts'))

const save = (more: Partial<NewScript> | object = {}, key?: string): Promise<Answer> =>
  carillon.request('POST', '/v1/scripts', {
    body: { name: 'counter', source: 'log(1)', ...more },
    ...(key !== undefined && { key }),
  })
const create = async (more: Partial<NewScript> = {}, key?: string): Promise<Script> => {
  const answer = await save(more, key)
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body
}
const change = (id: string, body: object, key = carillon.key): Promise<Answer> =>
  carillon.request('PATCH', `/v1/scripts/${id}`, { body, key })
const rollBack = (id: string, version: number, key = carillon.key): Promise<Answer> =>
  carillon.request('POST', `/v1/scripts/${id}/rollback`, { body: { version }, key })
const get = async (id: string): Promise<Script> => (await carillon.request('GET', `/v1/scripts/${id}`)).body
const keyWith = async (...scopes: Scope[]): Promise<string> =>
  (await carillon.createKey({ name: 'a key', scopes })).key
const versionsOf = (id: string) => carillon.readAll(`/v1/scripts/${id}/versions`)

async function triggerFor(scriptId: string, name: string): Promise<void> {
  await carillon.pool.query(
    `insert into triggers (id, tenant_id, name, script_id, kind, max_attempts, backoff, base_ms, registered_by_key,
       registered_scopes)
     select uuid_v7(), $1, $2, $3, 'queue', 3, 'constant', 1000, id, '{admin}' from api_keys
     where tenant_id = $1 limit 1`,
    [carillon.tenantId, name, scriptId],
  )
}

describe('/v1/scripts', () => {
  it('creates, reads, lists, changes and removes', async () => {
    const created = await create()
    expect(created).toMatchObject({
      name: 'counter',
      description: '',
      version: 1,
      source: 'log(1)',
      timeout_ms: 10_000,
      cpu_ms: 1000,
      memory_mb: 32,
      author: expect.stringMatching(/^api_key:/),
      author_scopes: expect.arrayContaining(['admin']),
    })
    expect(await get(created.id)).toEqual(created)
    const other = await create({ name: 'abacus', description: 'Counts too', cpu_ms: 50 })
    const listed = await carillon.readAll('/v1/scripts', 1)
    expect(listed.map(each => each.id)).toEqual([other.id, created.id])
    expect(listed[0]).not.toHaveProperty('source')
    const changed = (await change(created.id, { name: 'teller', timeout_ms: 500 })).body
    expect(changed).toMatchObject({ name: 'teller', timeout_ms: 500, version: 1, source: 'log(1)' })
    expect((await carillon.request('DELETE', `/v1/scripts/${created.id}`)).status).toBe(204)
    expect((await carillon.request('GET', `/v1/scripts/${created.id}`)).status).toBe(404)
    for (const answer of [await change(created.id, {}), await rollBack(created.id, 1)])
      expect(answer.status).toBe(404)
  })

  it('finds one by its name', async () => {
    const { id } = await create()
    await create({ name: 'counter-2' })
    expect((await carillon.readAll('/v1/scripts?name=counter')).map(each => each.id)).toEqual([id])
    expect(await carillon.readAll('/v1/scripts?name=nothing')).toEqual([])
    const unstorable = await carillon.request('GET', '/v1/scripts?name=%00')
    expect(problemOf(unstorable)).toMatchObject({ status: 400, errors: [{ field: 'name' }] })
  })

  it('has each name once', async () => {
    const { id } = await create()
    expect(problemOf(await save())).toMatchObject({ code: 'already_exists', errors: [{ field: 'name' }] })
    const other = await create({ name: 'other' })
    const renamed = problemOf(await change(other.id, { name: 'counter' }))
    expect(renamed).toMatchObject({ code: 'already_exists', errors: [{ field: 'name' }] })
    expect((await change(id, { name: 'counter' })).status).toBe(200)
  })

  it.each([
    ['a name in capitals', { name: 'Counter' }, 'name'],
    ['a name that begins with a dash', { name: '-counter' }, 'name'],
    ['a name of 101 characters', { name: 'c'.repeat(101) }, 'name'],
    ['no source', { source: '' }, 'source'],
    ['a source of more than 256 KiB', { source: `//${'ä'.repeat(131_072)}` }, 'source'],
    ['no time at all', { timeout_ms: 0 }, 'timeout_ms'],
    ['more than a minute', { timeout_ms: 60_001 }, 'timeout_ms'],
    ['too much processor time', { cpu_ms: 10_001 }, 'cpu_ms'],
    ['too much memory', { memory_mb: 129 }, 'memory_mb'],
    ['an unknown field', { author: 'ada' }, 'author'],
  ])('refuses %s', async (_what, more, field) => {
    expect(problemOf(await save(more))).toMatchObject({ code: 'invalid_request', errors: [{ field }] })
    const { id } = await create({ name: 'good' })
    expect(problemOf(await change(id, more))).toMatchObject({ code: 'invalid_request', errors: [{ field }] })
  })

  it('refuses a source that is no JavaScript, with the line, and keeps what was there', async () => {
    const source = 'log(1)\nlog(2)\nif (x {\n'
    const problem = problemOf(await save({ source }))
    expect(problem).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringMatching(/^source, line 3: /),
      errors: [{ field: 'source', line: 3 }],
    })
    const { id } = await create()
    expect(problemOf(await change(id, { source })).errors).toMatchObject([{ field: 'source', line: 3 }])
    expect(await get(id)).toMatchObject({ version: 1, source: 'log(1)' })
    expect(await versionsOf(id)).toHaveLength(1)
  })

  it('does not execute what it checks', async () => {
    const { id } = await create({ source: 'throw new Error("at once"); for (;;) {}' })
    expect((await get(id)).version).toBe(1)
  })

  it('belongs to its tenant', { tags: 'S003-4' }, async () => {
    const { id } = await create()
    const { key } = await carillon.createTenant('elsewhere')
    const foreign = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      carillon.request(method, `/v1/scripts/${id}${path}`, { key, ...(body && { body }) })
    for (const answer of [
      await foreign('GET', ''),
      await foreign('GET', '/versions'),
      await foreign('GET', '/versions/1'),
      await foreign('PATCH', '', { source: 'log(2)' }),
      await foreign('POST', '/rollback', { version: 1 }),
      await foreign('POST', '/test', {}),
      await foreign('DELETE', ''),
    ])
      expect(answer.status).toBe(404)
    expect(await carillon.readAll('/v1/scripts', 10, key)).toEqual([])
    expect(await getRunnable(carillon.pool, UNKNOWN, id)).toBeUndefined()
    expect((await save({}, key)).status).toBe(201)
    expect(await get(id)).toMatchObject({ version: 1 })
  })
})

describe('versions', () => {
  it('are made by another source, and by nothing else', async () => {
    const { id } = await create()
    expect((await change(id, { source: 'log(1)', description: 'the same' })).body.version).toBe(1)
    expect((await change(id, { source: 'log(2)' })).body).toMatchObject({ version: 2, source: 'log(2)' })
    expect((await change(id, { cpu_ms: 20 })).body.version).toBe(2)
    const versions = await versionsOf(id)
    expect(versions).toMatchObject([
      { version: 2, is_current: true, restored_from: null, source_bytes: 6 },
      { version: 1, is_current: false, restored_from: null },
    ])
    expect(versions[0]).not.toHaveProperty('source')
    const first = (await carillon.request('GET', `/v1/scripts/${id}/versions/1`)).body
    expect(first).toMatchObject({ version: 1, source: 'log(1)', is_current: false })
    expect((await carillon.request('GET', `/v1/scripts/${id}/versions/3`)).status).toBe(404)
  })

  it('come back under a new number', async () => {
    const { id } = await create()
    await change(id, { source: 'log(2)' })
    expect((await rollBack(id, 1)).body).toMatchObject({ version: 3, source: 'log(1)' })
    expect(await versionsOf(id)).toMatchObject([
      { version: 3, is_current: true, restored_from: 1 },
      { version: 2 },
      { version: 1 },
    ])
    expect((await rollBack(id, 9)).status).toBe(404)
    expect((await get(id)).version).toBe(3)
  })

  it('are kept up to the newest hundred', async () => {
    const { id } = await create()
    await carillon.pool.query(
      `with more as (insert into script_versions (tenant_id, script_id, version, source, author_scopes)
         select $1, $2, n, 'log(' || n || ')', '{}' from generate_series(2, 100) n)
       update scripts set version = 100 where id = $2`,
      [carillon.tenantId, id],
    )
    expect(await versionsOf(id)).toHaveLength(100)
    await change(id, { source: 'log(101)' })
    const versions = await versionsOf(id)
    expect(versions.map(each => each.version)).toEqual(Array.from({ length: 100 }, (_, i) => 101 - i))
    await rollBack(id, 50)
    expect((await versionsOf(id)).at(-1)).toMatchObject({ version: 3 })
  })

  it('are numbered one after the other, however many are saved at once', async () => {
    const { id } = await create()
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, i) => change(id, { source: `log("${i}")` })),
    )
    expect(saved.map(answer => answer.body.version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe('authorship', () => {
  it('is of whoever saved the source, with the scopes they had', async () => {
    await carillon.putUser('ada')
    const narrow = await carillon.createKey({
      name: 'n',
      scopes: ['scripts:write', 'kv:read'],
      user_id: 'ada',
    })
    const { id } = await create({}, narrow.key)
    expect(await get(id)).toMatchObject({ author: 'user:ada', author_scopes: ['scripts:write', 'kv:read'] })
    await carillon.request('DELETE', `/v1/api-keys/${narrow.id}`)
    expect(await getRunnable(carillon.pool, carillon.tenantId, id)).toMatchObject({
      version: 1,
      author_scopes: ['scripts:write', 'kv:read'],
      author_producers: ['api:ada'],
    })
  })

  it('does not change hands with the same source, nor with settings', async () => {
    const { id } = await create({}, await keyWith('scripts:write'))
    await change(id, { source: 'log(1)', description: 'Looked at by an owner' })
    await change(id, { memory_mb: 64 })
    expect((await get(id)).author_scopes).toEqual(['scripts:write'])
  })

  it('narrows when somebody with less saves another source', async () => {
    const { id } = await create()
    await change(id, { source: 'log(2)' }, await keyWith('scripts:write', 'kv:read'))
    expect((await get(id)).author_scopes).toEqual(['scripts:write', 'kv:read'])
  })

  it('of a rollback is of whoever rolls back, never of the old author', async () => {
    const { id } = await create()
    const narrow = await keyWith('scripts:write')
    await change(id, { source: 'log(2)' }, narrow)
    const restored = (await rollBack(id, 1, narrow)).body
    expect(restored).toMatchObject({ version: 3, source: 'log(1)', author_scopes: ['scripts:write'] })
    // who vouches for a source brings back the very same version
    expect((await rollBack(id, 3)).body).toMatchObject({
      version: 4,
      source: 'log(1)',
      author_scopes: expect.arrayContaining(['admin']),
    })
  })

  it('includes the producers that the author could send as', async () => {
    const shop = await carillon.createKey({ name: 's', scopes: ['admin'], producers: ['shop', 'till'] })
    const byShop = await create({}, shop.key)
    const byOwner = await create({ name: 'other' })
    const runnable = (id: string) => getRunnable(carillon.pool, carillon.tenantId, id)
    expect((await runnable(byShop.id))?.author_producers).toEqual(['shop', 'till'])
    expect((await runnable(byOwner.id))?.author_producers).toBeNull()
  })

  it('is given for the version that is asked for', async () => {
    const { id } = await create({}, await keyWith('scripts:write'))
    await change(id, { source: 'log(2)' })
    const first = await getRunnable(carillon.pool, carillon.tenantId, id, 1)
    expect(first).toMatchObject({ version: 1, source: 'log(1)', author_scopes: ['scripts:write'] })
    expect(await getRunnable(carillon.pool, carillon.tenantId, id, 9)).toBeUndefined()
  })
})

describe('deleting', () => {
  it('is refused while triggers run the script, and names them', async () => {
    const { id } = await create()
    await triggerFor(id, 'on order')
    await triggerFor(id, 'at night')
    const problem = problemOf(await carillon.request('DELETE', `/v1/scripts/${id}`))
    expect(problem).toMatchObject({ code: 'in_use', status: 409 })
    expect(problem.detail).toContain('"at night", "on order"')
    await carillon.pool.query('delete from triggers')
    expect((await carillon.request('DELETE', `/v1/scripts/${id}`)).status).toBe(204)
    expect((await carillon.rowCounts()).script_versions).toBe(0)
  })

  it('names ten of many triggers', async () => {
    const { id } = await create()
    for (let n = 10; n < 22; n++) await triggerFor(id, `trigger ${n}`)
    const { detail } = problemOf(await carillon.request('DELETE', `/v1/scripts/${id}`))
    expect(detail).toContain('"trigger 19", …')
    expect(detail).not.toContain('trigger 20')
  })
})

describe('/v1/tenant', () => {
  it('says whether scripts may call other services', async () => {
    const setting = async () => (await carillon.request('GET', '/v1/tenant')).body.script_http_allowed
    expect(await setting()).toBe(false)
    await carillon.request('PATCH', '/v1/tenant', { body: { script_http_allowed: true } })
    expect(await setting()).toBe(true)
    await carillon.request('PATCH', '/v1/tenant', { body: { script_http_allowed: false } })
    expect(await setting()).toBe(false)
  })
})
