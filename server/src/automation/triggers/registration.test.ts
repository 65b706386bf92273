/** Whom a trigger runs as, and what becomes of it when they go. */
import type { CreatedTrigger, Scope, Trigger } from '@carillon/contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { transaction } from '../../platform/database/pool.ts'
import { createTrigger } from './registration.ts'
import { findTrigger } from './triggers.ts'

const carillon = useCarillon()
const SCOPES: Scope[] = ['triggers:write', 'intents:write']
let scriptId: string

const create = async (key: string, more: object = {}): Promise<CreatedTrigger> => {
  const body = { name: 'A trigger', kind: 'queue', config: { queue: 'a' }, script_id: scriptId, ...more }
  const answer = await carillon.request('POST', '/v1/triggers', { key, body })
  expect([answer.status, answer.body]).toEqual([201, answer.body])
  return answer.body
}
const change = async (id: string, key: string, body: object): Promise<Trigger> =>
  (await carillon.request('PATCH', `/v1/triggers/${id}`, { key, body })).body
const exists = async (id: string) => (await carillon.request('GET', `/v1/triggers/${id}`)).status === 200
const revoke = (id: string) => carillon.request('DELETE', `/v1/api-keys/${id}`)
const find = (id: string) => findTrigger(carillon.pool, carillon.tenantId, id)

beforeAll(async () => {
  scriptId = await addScript(carillon.pool, carillon.tenantId)
})
beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  await carillon.putUser('ada')
})

describe('a trigger', () => {
  it('runs as the user of the key that registered it, with the scopes it had', {
    tags: 'S003-3',
  }, async () => {
    const key = await carillon.createKey({ name: 'k', user_id: 'ada', scopes: SCOPES, producers: ['shop'] })
    const { id, registrant } = await create(key.key)
    expect(registrant).toEqual({ user_id: 'ada', api_key_id: null, scopes: SCOPES, producers: ['shop'] })
    expect(await find(id)).toEqual({
      ...{ id, tenant_id: carillon.tenantId, name: 'A trigger', kind: 'queue', script_id: scriptId },
      ...{ is_enabled: true, dispatch_mode: 'async' },
      registrant: {
        ...{ user_id: 'ada', key_id: null, scopes: SCOPES, producers: ['shop'] },
        is_key_expired: false,
      },
    })
    await revoke(key.id)
    expect(await find(id)).toMatchObject({ registrant: { user_id: 'ada', is_key_expired: false } })
  })

  it('runs as the key if that has no user, and knows when the key has expired', {
    tags: 'S003-3',
  }, async () => {
    const key = await carillon.createKey({ name: 'k', scopes: SCOPES, expires_at: '2999-01-01T00:00:00Z' })
    const { id } = await create(key.key)
    const registrant = { user_id: null, key_id: key.id, scopes: SCOPES, producers: null }
    expect(await find(id)).toMatchObject({ registrant: { ...registrant, is_key_expired: false } })
    await carillon.pool.query("update api_keys set expires_at = now() - interval '1 second' where id = $1", [
      key.id,
    ])
    expect(await find(id)).toMatchObject({ registrant: { ...registrant, is_key_expired: true } })
  })

  it('is removed with its user', { tags: 'S003-3' }, async () => {
    const key = await carillon.createKey({ name: 'k', user_id: 'ada', scopes: SCOPES })
    const [own, other] = [await create(key.key), await create(carillon.key)]
    await carillon.request('DELETE', '/v1/users/ada')
    expect([await exists(own.id), await exists(other.id)]).toEqual([false, true])
    expect(await find(own.id)).toBeUndefined()
  })

  it('is removed with its key, and the audit row says so', { tags: 'S003-3' }, async () => {
    const key = await carillon.createKey({ name: 'k', scopes: SCOPES })
    const first = await create(key.key, { name: 'First' })
    const other = await create(carillon.key)
    expect((await revoke(key.id)).status).toBe(204)
    expect([await exists(first.id), await exists(other.id)]).toEqual([false, true])
    const [row] = await carillon.readAll(`/v1/audit-logs?resource_type=api_key&resource_id=${key.id}`)
    expect(row).toMatchObject({
      action: 'revoke',
      new_values: { is_active: false, removed_triggers: [{ id: first.id, name: 'First' }] },
    })
  })

  it('stays if the key that is to be revoked cannot be', { tags: 'S003-3' }, async () => {
    const key = await carillon.createKey({ name: 'k', scopes: SCOPES })
    const { id } = await create(key.key)
    await carillon.pool.query('alter table audit_logs add constraint broken check (false) not valid')
    expect((await revoke(key.id)).status).toBe(500)
    await carillon.pool.query('alter table audit_logs drop constraint broken')
    expect(await exists(id)).toBe(true)
  })
})

describe('a change', () => {
  it.each([
    ['another configuration', { config: { queue: 'b' } }],
    ['another script', 'script'],
  ])('to %s makes it run as whoever changed it', { tags: 'S003-3' }, async (_what, changes) => {
    const { id } = await create(carillon.key)
    const key = await carillon.createKey({ name: 'k', user_id: 'ada', scopes: SCOPES })
    const body = typeof changes === 'string' ? { script_id: await another() } : changes
    const { registrant } = await change(id, key.key, body)
    expect(registrant).toEqual({ user_id: 'ada', api_key_id: null, scopes: SCOPES, producers: null })
  })

  it('to waiting for the script too, since its result may be another’s to see', {
    tags: 'S003-3',
  }, async () => {
    const { id } = await create(carillon.key, { kind: 'http', config: {} })
    const key = await carillon.createKey({ name: 'k', user_id: 'ada', scopes: SCOPES })
    expect((await change(id, key.key, { dispatch_mode: 'sync' })).registrant.user_id).toBe('ada')
  })

  it.each([
    ['its name', { name: 'Other' }],
    ['its state', { is_enabled: false }],
    ['its policy', { retry: { max_attempts: 1 } }],
    ['nothing', { config: { queue: 'a' }, dispatch_mode: 'async' }],
  ])('of %s does not', { tags: 'S003-3' }, async (_what, changes) => {
    const { id, registrant } = await create(carillon.key)
    const key = await carillon.createKey({ name: 'k', user_id: 'ada', scopes: SCOPES })
    expect((await change(id, key.key, changes)).registrant).toEqual(registrant)
  })

  const another = () => addScript(carillon.pool, carillon.tenantId)
})

describe('a key that is revoked while it registers a trigger', () => {
  it('removes that one too: the revocation waits for it', { tags: 'S003-3' }, async () => {
    const { id, ...key } = await carillon.createKey({ name: 'k', scopes: SCOPES })
    let revoking: ReturnType<typeof revoke> | undefined
    const created = await transaction(carillon.pool, async tx => {
      const trigger = await createTrigger(tx, principalOf({ ...key, id }), input(), '')
      revoking = revoke(id)
      const blocked =
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update api_keys%'"
      await waitFor(async () => (await carillon.pool.query(blocked)).rowCount === 1, {
        what: 'the revocation',
      })
      return trigger
    })
    expect((await revoking)?.status).toBe(204)
    expect(await exists(created.id)).toBe(false)
  })

  it('registers nothing more, even where it is still remembered', async () => {
    const key = await carillon.createKey({ name: 'k', scopes: SCOPES })
    await revoke(key.id)
    const register = transaction(carillon.pool, tx => createTrigger(tx, principalOf(key), input(), ''))
    await expect(register).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await carillon.readAll('/v1/triggers')).toEqual([])
  })

  const input = () =>
    ({
      name: 'x',
      kind: 'http',
      script_id: scriptId,
      config: { methods: ['POST'] },
      is_enabled: true,
      dispatch_mode: 'async',
    }) as never
  const principalOf = ({ id }: { id: string }) =>
    ({
      tenant_id: carillon.tenantId,
      api_key_id: id,
      user_id: null,
      scopes: SCOPES,
      producers: null,
    }) as never
})
