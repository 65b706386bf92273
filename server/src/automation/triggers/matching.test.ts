/** Which triggers an event fires, and what they leave in the outbox. */
import type { CreatedTrigger } from '@carillon/contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'
import { transaction } from '../../platform/database/pool.ts'
import { fireTrigger, fireTriggers, type Happening } from './triggers.ts'

const carillon = useCarillon()
let scriptId: string

const create = async (kind: string, config: object, more: object = {}): Promise<CreatedTrigger> => {
  const body = { name: 'A trigger', kind, config, script_id: scriptId, ...more }
  const answer = await carillon.request('POST', '/v1/triggers', { body })
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body
}
const fire = (kind: Happening['kind'], subject: object, tenantId = carillon.tenantId) =>
  fireTriggers(carillon.pool, tenantId, {
    kind,
    subject: subject as Record<string, unknown>,
    op: 'insert',
    payload: '{"n": 1}',
  })
const outbox = async () => (await carillon.pool.query('select * from outbox order by seq')).rows

beforeAll(async () => {
  scriptId = await addScript(carillon.pool, carillon.tenantId)
})
beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  await carillon.pool.query('delete from outbox')
})

const A = '01900000-0000-7000-8000-00000000000a'
const B = '01900000-0000-7000-8000-00000000000b'

describe('matching', () => {
  it.each<[string, Happening['kind'], object, object, boolean]>([
    ['* and any collection', 'kv', { collection: '*' }, { collection: 'orders' }, true],
    ['a beginning', 'kv', { collection: 'orders:*' }, { collection: 'orders:1' }, true],
    ['another beginning', 'kv', { collection: 'orders:*' }, { collection: 'order' }, false],
    ['an exact name', 'kv', { collection: 'orders' }, { collection: 'orders' }, true],
    ['a longer name', 'kv', { collection: 'orders' }, { collection: 'orders2' }, false],
    ['no wildcards of SQL', 'kv', { collection: 'a_c*' }, { collection: 'abc' }, false],
    ['an empty list of ops', 'kv', { collection: '*', ops: [] }, { collection: 'a', op: 'delete' }, true],
    ['one of the ops', 'kv', { collection: '*', ops: ['delete'] }, { collection: 'a', op: 'delete' }, true],
    ['another op', 'kv', { collection: '*', ops: ['delete'] }, { collection: 'a', op: 'insert' }, false],
    ['an event by its kind', 'event', { event_kind: 'issue_*' }, { kind: 'issue_closed' }, true],
    ['an event of another kind', 'event', { event_kind: 'issue_*' }, { kind: 'pr_opened' }, false],
    ['an event on its topic', 'event', { event_kind: '*', topic: 'a' }, { kind: 'x', topic: 'a' }, true],
    ['an event on another topic', 'event', { event_kind: '*', topic: 'a' }, { kind: 'x', topic: 'b' }, false],
    ['an event without a topic', 'event', { event_kind: '*', topic: 'a' }, { kind: 'x' }, false],
    ['a queue', 'queue', { queue: 'imports' }, { queue: 'imports' }, true],
    ['another queue', 'queue', { queue: 'imports' }, { queue: 'exports' }, false],
    ['an address', 'email', { address: 'a@x.io' }, { addresses: ['b@x.io', 'A@X.io'] }, true],
    ['an address by its beginning', 'email', { address: 'reply+*' }, { addresses: ['reply+7@x.io'] }, true],
    ['another address', 'email', { address: 'a@x.io' }, { addresses: ['b@x.io'] }, false],
    ['any letter', 'dead_letter', {}, { source: 'kv', trigger_id: A, script_id: B }, true],
    ['a letter without ids', 'dead_letter', {}, { source: '' }, true],
    ['a source', 'dead_letter', { source: 'kv' }, { source: 'kv' }, true],
    ['another source', 'dead_letter', { source: 'kv' }, { source: 'cron' }, false],
    ['a trigger', 'dead_letter', { trigger_id: A }, { source: 'kv', trigger_id: A }, true],
    ['another trigger', 'dead_letter', { trigger_id: A }, { source: 'kv', trigger_id: B }, false],
    ['no trigger', 'dead_letter', { trigger_id: A }, { source: 'kv' }, false],
    ['a script', 'dead_letter', { script_id: A }, { source: 'kv', script_id: A }, true],
    ['another script', 'dead_letter', { script_id: A }, { source: 'kv', script_id: B }, false],
    [
      'every filter at once',
      'dead_letter',
      { source: 'kv', trigger_id: A, script_id: B },
      { source: 'kv', trigger_id: A, script_id: A },
      false,
    ],
  ])('%s', { tags: ['S003-5', 'S003-6'] }, async (_what, kind, config, subject, matches) => {
    await create(kind, config)
    expect(await fire(kind, subject)).toBe(matches ? 1 : 0)
  })

  it('leaves out disabled triggers, other kinds, and those of other tenants', {
    tags: 'S003-5',
  }, async () => {
    await create('queue', { queue: '*' }, { is_enabled: false })
    await create('kv', { collection: '*' })
    const elsewhere = await carillon.createTenant('elsewhere')
    const key = elsewhere.key
    const body = {
      ...{ name: 'theirs', kind: 'queue', config: { queue: '*' } },
      script_id: await addScript(carillon.pool, elsewhere.id),
    }
    expect((await carillon.request('POST', '/v1/triggers', { key, body })).status).toBe(201)
    expect(await fire('queue', { queue: 'a' })).toBe(0)
    expect(await outbox()).toEqual([])
    expect(await fire('queue', { queue: 'a' }, elsewhere.id)).toBe(1)
    expect((await outbox()).map(row => row.tenant_id)).toEqual([elsewhere.id])
  })
})

describe('firing', () => {
  it('leaves a row for each trigger that matches, with its script, its policy and the cause', {
    tags: 'S003-7',
  }, async () => {
    const first = await create('queue', { queue: 'a' }, { retry: { max_attempts: 2, backoff: 'linear' } })
    const second = await create('queue', { queue: '*' })
    const event = { kind: 'queue', subject: { queue: 'a' }, op: 'push', payload: '{"n": 1.0}' } as const
    const cause = { depth: 3, origin: 'api_key:k', ordering_key: 'o', context: { more: true } }
    expect(await fireTriggers(carillon.pool, carillon.tenantId, event, cause)).toBe(2)
    const rows = await outbox()
    expect(rows.map(row => row.target_id).sort()).toEqual([first.id, second.id].sort())
    expect(rows.find(row => row.target_id === first.id)).toMatchObject({
      ...{ tenant_id: carillon.tenantId, source_kind: 'queue', op: 'push', payload: '{"n": 1.0}' },
      context: { trigger_id: first.id, script_id: scriptId, origin: 'api_key:k', more: true },
      ...{ ordering_key: 'o', trigger_depth: 3, max_attempts: 2, backoff: 'linear', base_ms: 1000 },
    })
  })

  it('is part of the caller’s transaction', { tags: 'S003-7' }, async () => {
    await create('queue', { queue: '*' })
    const event = { kind: 'queue', subject: { queue: 'a' }, op: 'push', payload: '{}' } as const
    const failed = transaction(carillon.pool, async tx => {
      expect(await fireTriggers(tx, carillon.tenantId, event)).toBe(1)
      throw new Error('too bad')
    })
    await expect(failed).rejects.toThrow('too bad')
    expect(await outbox()).toEqual([])
  })

  it('of one trigger answers its row, or nothing if it is disabled, gone or another tenant’s', async () => {
    const { id } = await create('http', {})
    const elsewhere = await carillon.createTenant('further away')
    const tryIt = (tenant_id = carillon.tenantId) =>
      fireTrigger(carillon.pool, { tenant_id, id }, 'request', '{}', { origin: 'ip:127.0.0.1' })
    expect(await tryIt()).toEqual((await outbox())[0].id)
    expect((await outbox())[0]).toMatchObject({
      ...{ source_kind: 'http', op: 'request', target_id: id },
      context: { trigger_id: id, script_id: scriptId, origin: 'ip:127.0.0.1' },
    })
    expect(await tryIt(elsewhere.id)).toBeUndefined()
    await carillon.request('PATCH', `/v1/triggers/${id}`, { body: { is_enabled: false } })
    expect(await tryIt()).toBeUndefined()
    await carillon.request('DELETE', `/v1/triggers/${id}`)
    expect(await tryIt()).toBeUndefined()
    expect(await outbox()).toHaveLength(1)
  })
})
