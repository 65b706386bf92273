import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool, type Pool, transaction } from '../../platform/database/pool.ts'
import { type ExpectedVersion, getEntry, lockEntries, setEntry } from './kv.ts'

const carillon = useCarillon()
const path = '/v1/kv/c/k'
const cause = { depth: 0, origin: 'test' }
/** One connection each. */
let connections: Pool[]

beforeAll(() => {
  connections = Array.from({ length: 8 }, () => createPool(carillon.url, { max: 1 }))
})
afterAll(() => Promise.all(connections.map(pool => pool.end())))
beforeEach(() => carillon.pool.query('delete from kv_entries'))

const put = (body: object, headers: Record<string, string> = {}) =>
  carillon.request('PUT', path, { body: { value: 'new', ...body }, headers })
const write = (pool: Pool, value: unknown, expected?: ExpectedVersion, key = 'k') =>
  transaction(pool, tx =>
    setEntry(
      tx,
      carillon.tenantId,
      { collection: 'c', key, value_json: JSON.stringify(value), ttl_seconds: null, expected },
      cause,
    ),
  )
const read = (pool: Pool) => getEntry(pool, carillon.tenantId, 'c', 'k')

describe('a condition', () => {
  type Stated = (version: number) => { body?: object; headers?: Record<string, string> }

  it.each<[name: string, absent: number, present: number, stated: Stated]>([
    ['none', 200, 200, () => ({})],
    ['version 0', 200, 412, () => ({ body: { version: 0 } })],
    ['If-None-Match: *', 200, 412, () => ({ headers: { 'if-none-match': '*' } })],
    [
      'If-None-Match and version 0',
      200,
      412,
      () => ({ body: { version: 0 }, headers: { 'if-none-match': '*' } }),
    ],
    ['If-Match: *', 412, 200, () => ({ headers: { 'if-match': '*' } })],
    ['another version', 412, 412, version => ({ body: { version: version - 1 || 99 } })],
    ['If-Match of another version', 412, 412, version => ({ headers: { 'if-match': `"${version + 1}"` } })],
    ['the version', 412, 200, version => ({ body: { version } })],
    ['If-Match of the version', 412, 200, version => ({ headers: { 'if-match': `"${version}"` } })],
    [
      'both of the version',
      412,
      200,
      version => ({ body: { version }, headers: { 'if-match': `"${version}"` } }),
    ],
  ])('%s: without an entry %i, with one %i', async (_name, absent, present, stated) => {
    const { version } = (await put({ value: 'old' })).body
    const { body = {}, headers } = stated(version)
    const withEntry = await put(body, headers)
    expect(withEntry.status).toBe(present)
    expect((await carillon.request('GET', path)).body.value).toBe(present === 200 ? 'new' : 'old')
    if (present === 412) {
      const message = `The entry has version ${version}.`
      const errors = [{ field: 'version', message }]
      expect(withEntry.body).toMatchObject({ code: 'version_conflict', detail: message, errors })
    }
    await carillon.request('DELETE', path)
    const without = await put(body, headers)
    expect(without.status).toBe(absent)
    if (absent === 412) expect(without.body.detail).toBe('There is no such entry.')
  })

  it('holds for deleting too', async () => {
    const remove = (headers: Record<string, string>) => carillon.request('DELETE', path, { headers })
    expect((await remove({ 'if-match': '"7"' })).status).toBe(404)
    const { version } = (await put({})).body
    expect((await remove({ 'if-match': `"${version + 1}"` })).body.code).toBe('version_conflict')
    expect((await remove({ 'if-none-match': '*' })).body.code).toBe('version_conflict')
    expect((await remove({ 'if-match': `"${version}"` })).status).toBe(204)
  })

  it('on a version from before a deletion never holds again', async () => {
    const { version } = (await put({})).body
    await carillon.request('DELETE', path)
    await put({})
    expect((await put({ version })).body.code).toBe('version_conflict')
  })
})

describe('of several connections', () => {
  it.each([
    ['an entry that there is not', false],
    ['one version', true],
  ])('exactly one writes %s', async (_name, exists) => {
    const expected = exists ? (await write(connections[0]!, 'first')).entry.version : 0
    const outcomes = await Promise.allSettled(connections.map((pool, n) => write(pool, n, expected)))
    const [winner, ...others] = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [n] : []))
    expect(others).toEqual([])
    expect((await read(carillon.pool))!.value_json).toBe(String(winner))
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'version_conflict' })
  })

  it('the second waits for the first, and then sees what it wrote', async () => {
    const [first, second] = [connections[0]!, connections[1]!]
    let late: Promise<unknown> | undefined
    await transaction(first, async tx => {
      const change = { collection: 'c', key: 'k', value_json: '1', ttl_seconds: null }
      await setEntry(tx, carillon.tenantId, change, cause)
      late = write(second, 2, 0).catch(error => error.code)
      await waitFor(hasWaiting, { what: 'the second connection to wait' })
    })
    expect(await late).toBe('version_conflict')
    expect((await read(carillon.pool))!.value_json).toBe('1')
  })

  it('each counts as often as it likes, and none gets lost', async () => {
    const count = async (pool: Pool) => {
      for (let done = 0; done < 25; ) {
        const entry = await read(pool)
        const next = entry === undefined ? 1 : Number(entry.value_json) + 1
        const written = await write(pool, next, entry?.version ?? 0).catch(error => {
          if (error.code !== 'version_conflict') throw error
        })
        if (written !== undefined) done++
      }
    }
    await Promise.all(connections.map(count))
    expect((await read(carillon.pool))!.value_json).toBe('200')
  })

  it('each locks several keys in its own order, and none waits for ever', async () => {
    const keys = ['a', 'b', 'c', 'd'].map(key => ({ collection: 'c', key }))
    const addToAll = (pool: Pool, n: number) =>
      transaction(pool, async tx => {
        const mine = n % 2 === 0 ? keys : keys.toReversed()
        const versions = await lockEntries(tx, carillon.tenantId, mine)
        expect(new Set(versions.map(version => version > 0)).size).toBe(1)
        for (const key of mine) {
          const entry = await getEntry(tx, carillon.tenantId, key.collection, key.key)
          const value_json = String(Number(entry?.value_json ?? 0) + 1)
          await setEntry(tx, carillon.tenantId, { ...key, value_json, ttl_seconds: null }, cause)
        }
      })
    for (let round = 0; round < 5; round++) await Promise.all(connections.map(addToAll))
    const { rows } = await carillon.pool.query('select key, value_json from kv_entries order by key')
    expect(rows).toEqual(keys.map(({ key }) => ({ key, value_json: '40' })))
  })
})

it('lockEntries gives the versions in the order asked, 0 for what is not there or has expired', async () => {
  const [a, b] = [await write(carillon.pool, 1, 0, 'a'), await write(carillon.pool, 1, 0, 'b')]
  await write(carillon.pool, 1, 0, 'over')
  await carillon.pool.query(
    "update kv_entries set expires_at = now() - interval '1 second' where key = 'over'",
  )
  const keys = ['b', 'over', 'a', 'none', 'b'].map(key => ({ collection: 'c', key }))
  const versions = await transaction(carillon.pool, tx => lockEntries(tx, carillon.tenantId, keys))
  expect(versions).toEqual([b.entry.version, 0, a.entry.version, 0, b.entry.version])
  expect(await transaction(carillon.pool, tx => lockEntries(tx, carillon.tenantId, []))).toEqual([])
})

async function hasWaiting(): Promise<boolean> {
  const { rows } = await carillon.pool.query(
    "select count(*)::integer as waiting from pg_locks where locktype = 'advisory' and not granted",
  )
  return rows[0].waiting > 0
}
