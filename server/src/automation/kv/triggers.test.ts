import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { addTrigger, firedRows } from '../../../test/triggers.ts'
import { transaction } from '../../platform/database/pool.ts'
import { deleteEntry, setEntry } from './kv.ts'
import { SWEEP_KV_ENTRIES } from './sweep.ts'

const carillon = useCarillon()
const put = (path: string, value: unknown) => carillon.request('PUT', `/v1/kv/${path}`, { body: { value } })
const remove = (path: string) => carillon.request('DELETE', `/v1/kv/${path}`)
const listen = (collection_glob: string, ops: string[] = [], options = {}) =>
  addTrigger(carillon.pool, carillon.tenantId, { collection_glob, ops }, options)
const events = async () =>
  (await firedRows(carillon.pool)).map(row => ({ ...row, data: JSON.parse(row.payload) }))

beforeEach(async () => {
  await carillon.pool.query('delete from outbox')
  await carillon.pool.query('delete from triggers')
  await carillon.pool.query('delete from kv_entries')
})

describe('a write', () => {
  it('fires the triggers of its collection, under their policy, and wakes the dispatcher', async () => {
    const trigger = await listen('orders')
    const due = carillon.signals.due
    const { version } = (await put('orders/a%2Fb', { n: 1 })).body
    expect(carillon.signals.due).toBe(due + 1)
    const [fired, ...more] = await events()
    expect(more).toEqual([])
    expect(fired).toMatchObject({
      source_kind: 'kv',
      op: 'insert',
      target_id: trigger,
      trigger_depth: 0,
      ordering_key: null,
      max_attempts: 7,
      backoff: 'linear',
      base_ms: 5,
      context: {
        trigger_id: trigger,
        script_id: expect.any(String),
        origin: expect.stringMatching(/^api_key:[0-9a-f-]{36}$/),
      },
      data: { collection: 'orders', key: 'a/b', value: { n: 1 }, version, old_value: null, old_version: 0 },
    })
  })

  it('tells what was there before, and that it is an update also if nothing changed', async () => {
    await listen('*')
    const versions: number[] = []
    for (const value of [null, 'x', 'x']) versions.push((await put('c/k', value)).body.version)
    await remove('c/k')
    const [first, second, third] = versions
    expect((await events()).map(({ op, data }) => [op, data])).toEqual(
      [
        ['insert', { value: null, version: first, old_value: null, old_version: 0 }],
        ['update', { value: 'x', version: second, old_value: null, old_version: first }],
        ['update', { value: 'x', version: third, old_value: 'x', old_version: second }],
        ['delete', { value: null, version: 0, old_value: 'x', old_version: third }],
      ].map(([op, data]) => [op, { collection: 'c', key: 'k', ...(data as object) }]),
    )
  })

  it('passes values on byte for byte, and keys whatever is in them', async () => {
    await listen('c')
    const key = '"\\ %s 😀'
    const path = `/v1/kv/c/${encodeURIComponent(key)}`
    for (const value of ['{ "n": 12345678901234567890, "s": "%s" }', '1.0'])
      await carillon.request('PUT', path, { rawBody: `{"value":${value}}` })
    const [, last] = await events()
    expect(last!.data).toMatchObject({ collection: 'c', key })
    expect(last!.payload).toMatch(/"value":1\.0,.*"old_value":\{ "n": 12345678901234567890, "s": "%s" \},/)
  })

  it('over an expired entry is an insert, and expiring fires nothing', async () => {
    await put('c/k', 1)
    await listen('c')
    await carillon.pool.query("update kv_entries set expires_at = now() - interval '1 second'")
    expect((await remove('c/k')).status).toBe(404)
    await put('c/k', 2)
    expect(await events()).toMatchObject([
      { op: 'insert', data: { value: 2, old_value: null, old_version: 0 } },
    ])
    await carillon.pool.query("update kv_entries set expires_at = now() - interval '1 second'")
    expect((await carillon.pool.query(SWEEP_KV_ENTRIES, [10])).rowCount).toBe(1)
    expect(await events()).toHaveLength(1)
  })

  it('that is refused fires nothing, and deleting what is not there neither', async () => {
    await listen('*')
    expect((await remove('c/k')).status).toBe(404)
    const body = { value: 1, version: 7 }
    expect((await carillon.request('PUT', '/v1/kv/c/k', { body })).status).toBe(412)
    expect(await events()).toEqual([])
  })

  it('that is rolled back fires nothing', async () => {
    await listen('*')
    await put('c/kept', 1)
    await carillon.pool.query('delete from outbox')
    const cause = { depth: 1, origin: '' }
    const change = { collection: 'c', key: 'k', value_json: '1', ttl_seconds: null }
    const work = transaction(carillon.pool, async tx => {
      expect((await setEntry(tx, carillon.tenantId, change, cause)).fired).toBe(1)
      const kept = { collection: 'c', key: 'kept' }
      expect((await deleteEntry(tx, carillon.tenantId, kept, cause))!.fired).toBe(1)
      throw new Error('not after all')
    })
    await expect(work).rejects.toThrow('not after all')
    expect(await events()).toEqual([])
    expect((await carillon.request('GET', '/v1/kv/c/k')).status).toBe(404)
    expect((await carillon.request('GET', '/v1/kv/c/kept')).status).toBe(200)
  })

  it('of a script carries its depth and who caused it', async () => {
    await listen('*')
    const cause = { depth: 3, origin: 'user:ada' }
    const key = { collection: 'c', key: 'k' }
    await transaction(carillon.pool, async tx => {
      await setEntry(tx, carillon.tenantId, { ...key, value_json: '1', ttl_seconds: 60 }, cause)
      await deleteEntry(tx, carillon.tenantId, key, cause)
      expect(await deleteEntry(tx, carillon.tenantId, key, cause)).toBeUndefined()
    })
    expect(await events()).toMatchObject([
      { op: 'insert', trigger_depth: 3, context: { origin: 'user:ada' } },
      { op: 'delete', trigger_depth: 3, context: { origin: 'user:ada' } },
    ])
  })

  it('one row per matching trigger, all in the transaction of the write; none matches: no row, and success', {
    tags: 'S003-7',
  }, async () => {
    const matching = [await listen('orders'), await listen('ord*'), await listen('*', ['insert'])]
    await listen('invoices')
    const due = carillon.signals.due
    expect((await put('carts/1', 1)).status).toBe(200)
    await carillon.pool.query('delete from outbox')
    expect((await put('orders/1', 1)).status).toBe(200)
    const rows = await carillon.pool.query(
      `select target_id, o.xmin::text = (select e.xmin::text from kv_entries e where collection = 'orders') as together
       from outbox o`,
    )
    expect(rows.rows.map(row => row.target_id).sort()).toEqual(matching.sort())
    expect(rows.rows.map(row => row.together)).toEqual([true, true, true])
    await carillon.pool.query('delete from triggers')
    await carillon.pool.query('delete from outbox')
    expect((await put('orders/2', 1)).status).toBe(200)
    expect(await events()).toEqual([])
    expect(carillon.signals.due).toBe(due + 2)
  })

  it('fires no trigger of another tenant', async () => {
    await listen('*')
    const { key } = await carillon.createTenant('neighbour')
    await carillon.request('PUT', '/v1/kv/c/k', { key, body: { value: 1 } })
    expect(await events()).toEqual([])
  })
})

describe('a trigger', { tags: 'S003-5' }, () => {
  it.each([
    [[], ['insert', 'update', 'delete']],
    [['insert'], ['insert']],
    [['update'], ['update']],
    [['delete'], ['delete']],
    [
      ['delete', 'insert'],
      ['insert', 'delete'],
    ],
  ])('with the operations %j fires at %j', async (ops, fires) => {
    await listen('c', ops)
    for (const value of [1, 2]) await put('c/k', value)
    await remove('c/k')
    expect((await events()).map(({ op }) => op)).toEqual(fires)
  })

  it('that is disabled never fires', async () => {
    await listen('*', [], { is_enabled: false })
    await put('c/k', 1)
    expect(await events()).toEqual([])
  })

  it.each(['', '**', 'a*b', 'a'.repeat(101)])('cannot listen to %j', async glob => {
    await expect(listen(glob)).rejects.toMatchObject({ code: '23514' })
  })

  it('cannot listen for an operation that does not exist', async () => {
    await expect(listen('*', ['read'])).rejects.toMatchObject({ code: '23514' })
  })
})
