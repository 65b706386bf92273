/** Suspending and deleting tenants. */
import { beforeEach, describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { inhabit } from '../../../test/inhabited.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { deletePortion } from './deleter.ts'

const carillon = useCarillon()
let tenant: { id: string; name: string; key: string }
let unique = 0

beforeEach(async () => {
  const name = `tenant-${++unique}`
  tenant = { name, ...(await carillon.createTenant(name)) }
})

const operate = (method: 'GET' | 'POST' | 'DELETE', end = '', body?: object) =>
  carillon.request(method, `/v1/tenants/${tenant.id}${end}`, { ...(body && { body }) })
const read = () => carillon.request('GET', '/v1/tenant', { key: tenant.key })
const send = () => carillon.request('POST', '/v1/intents', { key: tenant.key, body: AN_INTENT })

describe('a suspended tenant', () => {
  it('may do nothing, is told why, and goes on when it is resumed', async () => {
    const { body } = await operate('POST', '/suspend', { reason: 'The bill is open.' })
    expect(body).toMatchObject({ suspended_at: expect.any(String), suspension_reason: 'The bill is open.' })
    for (const answer of [await read(), await send()]) {
      const problem = problemOf(answer)
      expect(problem).toMatchObject({ status: 403, code: 'tenant_suspended' })
      expect(problem.detail).toContain('The bill is open.')
    }
    const direct = carillon.pool.query('select notify($1)', [{ ...AN_INTENT, tenant: tenant.name }])
    await expect(direct).rejects.toThrow(/suspended/)
    expect((await operate('POST', '/resume')).body).toMatchObject({
      suspended_at: null,
      suspension_reason: '',
    })
    expect([(await read()).status, (await send()).status]).toEqual([200, 202])
  })

  it('is never one’s own, and its own keys do none of this', async () => {
    const own = `/v1/tenants/${carillon.tenantId}`
    expect(problemOf(await carillon.request('POST', `${own}/suspend`, { body: {} })).code).toBe('forbidden')
    expect(problemOf(await carillon.request('DELETE', own)).code).toBe('forbidden')
    const key = tenant.key
    const resume = await carillon.request('POST', `/v1/tenants/${tenant.id}/resume`, { key })
    expect(problemOf(resume).code).toBe('forbidden')
    const unknown = '/v1/tenants/01900000-0000-7000-8000-000000000000'
    expect(problemOf(await carillon.request('DELETE', unknown)).code).toBe('not_found')
  })
})

describe('a tenant to be deleted', () => {
  it('stops at once and can be resumed while there is grace', async () => {
    const { status, body } = await operate('DELETE', '?grace_days=7')
    expect([status, body.deletion.started_at]).toEqual([202, null])
    const days = (Date.parse(body.deletion.delete_at) - Date.parse(body.suspended_at)) / 86_400_000
    expect(days).toBe(7)
    expect(problemOf(await read()).code).toBe('tenant_suspended')
    expect(await deletePortion(carillon.pool)).toBe(false)
    expect((await operate('POST', '/resume')).body.deletion).toBeNull()
    expect((await read()).status).toBe(200)
  })

  it('is not resumed by somebody who asks while its deletion begins', async () => {
    await operate('DELETE', '?grace_days=0')
    const deleter = await carillon.pool.connect()
    await deleter.query('begin')
    await deleter.query('update tenants set deleting_since = now() where id = $1', [tenant.id])
    const resuming = operate('POST', '/resume')
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    await waitFor(async () => (await carillon.pool.query(waiting)).rowCount! > 0, {
      what: 'the row to be waited for',
    })
    await deleter.query('commit')
    deleter.release()
    expect(problemOf(await resuming).code).toBe('read_only')
    expect((await operate('GET')).body).toMatchObject({ suspended_at: expect.any(String) })
    await carillon.pool.query('delete from tenants where id = $1', [tenant.id])
  })

  it('goes in portions that show their progress, and leaves nothing behind but an event', async () => {
    await inhabit(carillon)
    const before = await carillon.rowCounts()
    await carillon.pool.query('update tenants set delete_at = now(), suspended_at = now() where id = $1', [
      carillon.tenantId,
    ])
    const { key } = tenant
    await carillon.pool.query("update api_keys set scopes = '{admin,instance}' where tenant_id = $1", [
      tenant.id,
    ])
    const look = () => carillon.request('GET', `/v1/tenants/${carillon.tenantId}`, { key })
    await deletePortion(carillon.pool, 3)
    const { deletion } = (await look()).body
    expect(deletion).toMatchObject({ started_at: expect.any(String), rows_deleted: 0 })
    expect(deletion.rows).toBeGreaterThan(100)
    await deletePortion(carillon.pool, 3)
    expect((await look()).body.deletion).toEqual({ ...deletion, rows_deleted: 3 })
    const resume = await carillon.request('POST', `/v1/tenants/${carillon.tenantId}/resume`, { key })
    expect(problemOf(resume).code).toBe('read_only')
    const statuses: number[] = []
    while (await deletePortion(carillon.pool, 3)) statuses.push((await look()).status)
    // It is there to be looked at until nothing else of it is left.
    expect([statuses.pop(), new Set(statuses)]).toEqual([404, new Set([200])])
    const after = await carillon.rowCounts()
    const left = await carillon.pool.query('select * from tenant_rows($1)', [carillon.tenantId])
    expect(left.rows[0].row_count).toBe('0')
    expect(after.records).toBeLessThan(before.records!)
    const events = await carillon.readAll('/v1/system-events?event_type=tenant_deleted', 100, key)
    expect(events).toMatchObject([{ tenant_id: null, details: { tenant_id: carillon.tenantId } }])
  })
})
