import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import { createPool } from '../../platform/database/pool.ts'
import { changeTenant, createFirstTenant } from './tenants.ts'

const carillon = useCarillon()
const patch = (body: object) => carillon.request('PATCH', '/v1/tenant', { body })
const read = async () => (await carillon.request('GET', '/v1/tenant')).body

describe('a tenant', () => {
  it('starts with the documented defaults', { tags: ['S000-9', 'S002-3', 'S000-31'] }, async () => {
    expect(await read()).toMatchObject({
      name: 'default',
      idempotency_window_seconds: 7 * 86_400,
      computed_key_window_seconds: 86_400,
      max_attempts: { email: 7, push: 3 },
      retry_base_ms: 10_000,
      retry_cap_ms: 3_600_000,
      record_hot_days: 90,
      record_retention_days: 365,
      malformed_retention_days: 30,
      dead_letter_retention_days: 30,
      locales: null,
      fallback_locale: 'en',
    })
  })

  it('changes the given settings and leaves the others', async () => {
    const before = await read()
    const { body } = await patch({ malformed_retention_days: 7, locales: ['de'] })
    expect(body).toEqual({
      ...before,
      malformed_retention_days: 7,
      locales: ['de'],
      updated_at: body.updated_at,
    })
    expect((await patch({ locales: null })).body.locales).toBeNull()
    expect((await patch({})).status).toBe(200)
  })

  it.each([
    ['a shorter retention', { record_retention_days: 6 }],
    ['a longer window', { record_retention_days: 90, idempotency_window_seconds: 91 * 86_400 }],
    [
      'a longer window of computed keys',
      { record_retention_days: 90, computed_key_window_seconds: 91 * 86_400 },
    ],
    ['both at once', { record_retention_days: 1, idempotency_window_seconds: 86_401 }],
  ])(
    'records may not vanish while their keys protect: %s is refused, naming the field',
    { tags: 'S000-31' },
    async (_name, body) => {
      const before = await read()
      const problem = problemOf(await patch(body))
      expect(problem).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(problem.errors).toEqual([
        { field: 'record_retention_days', message: expect.stringContaining('idempotency') },
      ])
      expect(await read()).toEqual(before)
    },
  )

  it('two changes at once both stay, as each stores only what it was given', async () => {
    const other = await openTransaction(carillon.pool)
    await changeTenant(other.client, carillon.tenantId, { mails_per_hour: 77, run_retention_days: 8 })
    const changing = patch({ reply_domain: 'replies.example.com', inbox_retention_days: 90 })
    await untilBlocked(carillon.pool, 1, 'the second change to wait for the first')
    await other.commit()
    expect((await changing).status).toBe(200)
    expect(await read()).toMatchObject({
      mails_per_hour: 77,
      run_retention_days: 8,
      reply_domain: 'replies.example.com',
      inbox_retention_days: 90,
    })
  })

  it('the database refuses it as well', { tags: 'S000-31' }, async () => {
    const update = carillon.pool.query('update tenant_retention set record_retention_days = 1')
    await expect(update).rejects.toMatchObject({ constraint: 'tenant_retention_covers_keys' })
  })

  it.each([
    [{ retry_base_ms: 5000, retry_cap_ms: 4999 }, 'retry_cap_ms'],
    [{ retry_base_ms: 0 }, 'retry_base_ms'],
    [{ record_retention_days: 0 }, 'record_retention_days'],
    [{ idempotency_window_seconds: 0 }, 'idempotency_window_seconds'],
    [{ max_attempts: { fax: 3 } }, 'max_attempts'],
    [{ max_attempts: { email: 101 } }, 'max_attempts.email'],
    [{ locales: ['x'] }, 'locales.0'],
    [{ name: 'renamed' }, 'name'],
  ])('refuses %j and names the field', async (body, field) => {
    const problem = problemOf(await patch(body))
    expect(problem.code).toBe('invalid_request')
    expect(problem.errors?.[0]?.field).toMatch(new RegExp(`^${field}`))
  })

  it('is created with a key of its own, once per name', async () => {
    const create = () =>
      carillon.request('POST', '/v1/tenants', { body: { name: 'acme', record_retention_days: 30 } })
    const { status, body } = await create()
    expect([status, body.name, body.record_retention_days]).toEqual([201, 'acme', 30])
    const key = body.api_key.key
    expect((await carillon.request('GET', '/v1/tenant', { key })).body.id).toBe(body.id)
    expect(problemOf(await create())).toMatchObject({
      status: 409,
      code: 'already_exists',
      errors: [{ field: 'name' }],
    })
    const names = (await carillon.request('GET', '/v1/tenants')).body.data.map(
      (tenant: { name: string }) => tenant.name,
    )
    expect(names).toEqual(['acme', 'default'])
  })

  it('with settings that contradict each other is not created at all', async () => {
    const before = await carillon.rowCounts()
    const body = { name: 'short', record_retention_days: 1 }
    expect(problemOf(await carillon.request('POST', '/v1/tenants', { body })).errors?.[0]?.field).toBe(
      'record_retention_days',
    )
    expect(await carillon.rowCounts()).toEqual(before)
  })
})

describe('the first tenant', () => {
  it('is created once, by whichever of several starting processes comes first', async () => {
    const database = await createTestDatabase()
    const pools = [1, 2, 3].map(() => createPool(database.url, { max: 1 }))
    const created = await Promise.all(pools.map(pool => createFirstTenant(pool)))
    expect(created.filter(key => key !== undefined)).toHaveLength(1)
    expect((await database.pool.query('select from tenants')).rowCount).toBe(1)
    expect((await database.pool.query('select from api_keys')).rowCount).toBe(1)
    for (const pool of pools) await pool.end()
    await database.drop()
  })
})

describeColumns(carillon, {
  longest: [
    [
      'tenants.name',
      100,
      'insert into tenants (id, name) select gen_random_uuid(), $2 where $1::uuid is not null',
    ],
  ],
})
