import { KvEntry } from '@carillon/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { transaction } from '../../platform/database/pool.ts'
import { refuseDifference } from '../../platform/http/answers.ts'
import { setEntry } from './kv.ts'
import { SWEEP_KV_ENTRIES } from './sweep.ts'

const carillon = useCarillon()
const at = (collection: string, key: string) => `/v1/kv/${collection}/${encodeURIComponent(key)}`
const put = (collection: string, key: string, body: object, headers: Record<string, string> = {}) =>
  carillon.request('PUT', at(collection, key), { body, headers })
const get = (collection: string, key: string) => carillon.request('GET', at(collection, key))
const remove = (collection: string, key: string) => carillon.request('DELETE', at(collection, key))
const keysOf = async (path: string, limit?: number): Promise<string[]> =>
  (await carillon.readAll(path, limit)).map(entry => entry.key)
/** As if time had passed. */
const expire = (key: string) =>
  carillon.pool.query("update kv_entries set expires_at = now() - interval '1 ms' where key = $1", [key])

beforeEach(() => carillon.pool.query('delete from kv_entries'))

describe('an entry', () => {
  it('is written, read, listed, replaced and deleted', async () => {
    const created = await put('settings', 'theme', { value: { dark: true } })
    expect(created.status).toBe(200)
    expect(created.body).toEqual({
      collection: 'settings',
      key: 'theme',
      value: { dark: true },
      version: expect.any(Number),
      bytes: 13,
      expires_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const read = await get('settings', 'theme')
    expect(read.body).toEqual(created.body)
    for (const { body, headers } of [created, read]) {
      refuseDifference(KvEntry, body, 'an entry')
      expect(headers).toMatchObject({
        etag: `"${body.version}"`,
        'content-type': 'application/json; charset=utf-8',
      })
    }
    const { value: _, ...summary } = created.body
    expect(await carillon.readAll('/v1/kv/settings')).toEqual([summary])
    const replaced = (await put('settings', 'theme', { value: null })).body
    expect(replaced).toMatchObject({ value: null, bytes: 4, created_at: created.body.created_at })
    expect(replaced.version).toBeGreaterThan(created.body.version)
    expect((await remove('settings', 'theme')).status).toBe(204)
    expect((await get('settings', 'theme')).status).toBe(404)
    expect((await remove('settings', 'theme')).status).toBe(404)
    expect((await put('settings', 'theme', { value: 1 })).body.version).toBeGreaterThan(replaced.version)
  })

  it.each([
    'null',
    'false',
    '"text"',
    '-0',
    '1.0',
    '12345678901234567890.10',
    '1e99999',
    '[ ]',
    '{ "b" : 1,\t"a": [1,\n2], "b": 2 }',
    '"\\u00e9 é \\ud83d\\ude00 \\/ </script>"',
    '{"value": "}\\""}',
  ])('keeps %s byte for byte', async text => {
    const answer = await carillon.api.inject({
      method: 'PUT',
      url: '/v1/kv/c/exact',
      headers: { authorization: `Bearer ${carillon.key}`, 'content-type': 'application/json' },
      payload: `{"value":"first","ttl_seconds": 60,"value" : ${text} }`,
    })
    expect(answer.body).toMatch(/^\{.*\}$/s)
    expect(answer.body.slice(answer.body.indexOf(',"value":'))).toBe(`,"value":${text}}`)
    const { rows } = await carillon.pool.query('select value_json from kv_entries')
    expect(rows).toEqual([{ value_json: text }])
  })

  it.each([
    ['a slash', 'a/b'],
    ['slashes all over', '/a//b/'],
    ['an encoded slash', 'a%2Fb'],
    ['a percent sign', '100%'],
    ['an encoded percent sign', '%25'],
    ['blank and plus', 'a b+c'],
    ['the marks of an address', 'q?x=1&y=2#z;p'],
    ['a colon', ':key'],
    ['three dots', '...'],
    ['letters of the world', 'ключ é 😀'],
    ['quotes and a backslash', '\\"\''],
    ['a line separator', '\u2028'],
    ['512 characters', 'k'.repeat(512)],
    ['512 characters of two bytes', 'é'.repeat(512)],
    ['the name of a prototype', '__proto__'],
  ])('may have a key with %s', async (_name, key) => {
    expect((await put('c', key, { value: key })).status).toBe(200)
    expect((await get('c', key)).body).toMatchObject({ key, value: key })
    expect(await keysOf('/v1/kv/c')).toEqual([key])
    expect((await remove('c', key)).status).toBe(204)
  })

  it('belongs to its tenant', { tags: 'S004-7' }, async () => {
    await put('c', 'ours', { value: 1 })
    const { key } = await carillon.createTenant('elsewhere')
    expect((await carillon.request('GET', at('c', 'ours'), { key })).status).toBe(404)
    expect((await carillon.request('DELETE', at('c', 'ours'), { key })).status).toBe(404)
    const theirs = await carillon.request('PUT', at('c', 'ours'), { key, body: { value: 2, version: 0 } })
    expect(theirs.status).toBe(200)
    expect(await carillon.readAll('/v1/kv', 10, key)).toEqual([{ collection: 'c', entries: 1 }])
    expect((await get('c', 'ours')).body.value).toBe(1)
  })

  it('leaves an audit row with everything but its value', async () => {
    const { version, expires_at } = (await put('c', 'watched/k', { value: 'secret', ttl_seconds: 60 })).body
    const second = (await put('c', 'watched/k', { value: 'other' })).body.version
    await remove('c', 'watched/k')
    const rows = await carillon.readAll('/v1/audit-logs?resource_type=kv_entry&resource_id=c%2Fwatched%2Fk')
    const [first, last] = [
      { version, bytes: 8, expires_at },
      { version: second, bytes: 7, expires_at: null },
    ]
    expect(rows.map(({ action, old_values, new_values }) => [action, old_values, new_values])).toEqual([
      ['delete', last, null],
      ['update', first, last],
      ['create', null, first],
    ])
    await put('c'.repeat(100), 'k'.repeat(512), { value: 1 })
    const [longest] = await carillon.readAll('/v1/audit-logs?resource_type=kv_entry')
    expect(longest.resource_id).toHaveLength(520)
  })
})

describe('an entry with a time to live', () => {
  it('says when it expires, and for ever if it is written again without', async () => {
    const { expires_at, updated_at } = (await put('c', 'k', { value: 1, ttl_seconds: 90 })).body
    expect(Date.parse(expires_at) - Date.parse(updated_at)).toBe(90_000)
    expect((await put('c', 'k', { value: 1 })).body.expires_at).toBeNull()
  })

  it('is gone everywhere at once, and writing it again creates another one', async () => {
    const first = (await put('c', 'k', { value: 1, ttl_seconds: 60 })).body
    await put('d', 'stays', { value: 1 })
    await expire('k')
    await carillon.pool.query("update kv_entries set created_at = now() - interval '1 day'")
    expect((await get('c', 'k')).status).toBe(404)
    expect((await remove('c', 'k')).status).toBe(404)
    expect(await keysOf('/v1/kv/c')).toEqual([])
    expect(await carillon.readAll('/v1/kv')).toEqual([{ collection: 'd', entries: 1 }])
    expect((await put('c', 'k', { value: 2, version: first.version })).status).toBe(412)
    const second = await put('c', 'k', { value: 2 }, { 'if-none-match': '*' })
    expect(second.status).toBe(200)
    expect(second.body.created_at).toBe(second.body.updated_at)
    expect((await get('c', 'k')).body).toEqual(second.body)
  })

  it('is swept when it has expired, and a locked one is left for the next time', async () => {
    for (const key of ['held', 'over', 'live', 'renewed']) await put('c', key, { value: 1, ttl_seconds: 60 })
    for (const key of ['held', 'over', 'renewed']) await expire(key)
    await put('c', 'renewed', { value: 2, ttl_seconds: 60 })
    const holder = await carillon.pool.connect()
    await holder.query('begin')
    await holder.query("select from kv_entries where key = 'held' for update")
    expect((await carillon.pool.query(SWEEP_KV_ENTRIES, [10])).rowCount).toBe(1)
    await holder.query('rollback')
    holder.release()
    expect((await carillon.pool.query(SWEEP_KV_ENTRIES, [10])).rowCount).toBe(1)
    const left = await carillon.pool.query('select key from kv_entries order by key')
    expect(left.rows.map(row => row.key)).toEqual(['live', 'renewed'])
  })
})

describe('the list of a collection', () => {
  it('has the keys that start with a prefix, in the order of their bytes', async () => {
    for (const key of ['b', 'a:2', 'a:10', 'A', 'a_1', 'a%', 'é', 'a:', 'ab'])
      await put('c', key, { value: 1 })
    await put('other', 'a:3', { value: 1 })
    expect(await keysOf('/v1/kv/c', 2)).toEqual(['A', 'a%', 'a:', 'a:10', 'a:2', 'a_1', 'ab', 'b', 'é'])
    const starting = (prefix: string) => keysOf(`/v1/kv/c?prefix=${encodeURIComponent(prefix)}`, 2)
    expect(await starting('a:')).toEqual(['a:', 'a:10', 'a:2'])
    expect(await starting('a%')).toEqual(['a%'])
    expect(await starting('a_')).toEqual(['a_1'])
    expect(await starting('é')).toEqual(['é'])
    expect(await starting('')).toHaveLength(9)
    expect(await keysOf('/v1/kv/nothing')).toEqual([])
  })

  it('goes on after the longest keys', async () => {
    const long = ['a', 'b', 'c'].map(first => first + '€'.repeat(511))
    for (const key of long) await put('c', key, { value: 1 })
    expect(await keysOf('/v1/kv/c', 1)).toEqual(long)
  })
})

describe('the list of collections', () => {
  it('says how many entries each has, page by page', async () => {
    for (const [collection, count] of [
      ['b', 1],
      ['a', 3],
      ['c:x', 2],
    ] as const)
      for (let n = 0; n < count; n++) await put(collection, String(n), { value: n })
    const counts = [
      { collection: 'a', entries: 3 },
      { collection: 'b', entries: 1 },
      { collection: 'c:x', entries: 2 },
    ]
    for (const limit of [1, 2, 3, 10]) expect(await carillon.readAll('/v1/kv', limit)).toEqual(counts)
  })

  it('counts no further than 10,000', async () => {
    await carillon.pool.query(
      `insert into kv_entries (tenant_id, collection, key, value_json)
       select $1, 'large', n::text, '1' from generate_series(1, 10001) n`,
      [carillon.tenantId],
    )
    expect(await carillon.readAll('/v1/kv')).toEqual([{ collection: 'large', entries: 10_000 }])
  })
})

describe('a tenant whose storage is used up', () => {
  it('reads and deletes but does not write, over HTTP or by a script', async () => {
    await put('c', 'k', { value: 1 })
    await carillon.pool.query('update tenants set quota_storage_mb = 1, storage_bytes = 1000001')
    const change = { collection: 'c', key: 'k', value_json: '2', ttl_seconds: null }
    const cause = { depth: 1, origin: '' }
    const write = transaction(carillon.pool, tx => setEntry(tx, carillon.tenantId, change, cause))
    await expect(write).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect((await put('c', 'k', { value: 2 })).body.code).toBe('quota_exceeded')
    expect((await get('c', 'k')).body.value).toBe(1)
    expect((await remove('c', 'k')).status).toBe(204)
    await carillon.pool.query('update tenants set quota_storage_mb = null, storage_bytes = null')
  })
})
