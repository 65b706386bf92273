import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { transaction } from '../../platform/database/pool.ts'
import { useOperator } from './operator.fixture.ts'

const carillon = useCarillon()
const logs = (query = '') => carillon.readAll(`/v1/audit-logs?${query}`)
const put = (id: string, body: object, options: object = {}) =>
  carillon.request('PUT', `/v1/users/${id}`, { body, ...options })

const operator = useOperator(carillon)

it.each([
  'update audit_logs set action = action',
  "update audit_logs set user_id = null where user_id = 'op'",
  "update audit_logs set old_values = '{}'",
  'delete from audit_logs',
  'truncate audit_logs',
  'truncate audit_logs, tenants cascade',
])('the database refuses to change the audit log: %s', { tags: 'S002-26' }, async statement => {
  await put('kept', {}, { key: operator.key })
  const before = await logs()
  await expect(carillon.pool.query(statement)).rejects.toMatchObject({
    code: '42501',
    message: 'audit_logs is append-only',
  })
  expect(await logs()).toEqual(before)
})

it('the audit log refuses changes in a session without triggers', async () => {
  await put('kept', {}, { key: operator.key })
  for (const statement of ['delete from audit_logs', 'truncate audit_logs']) {
    const work = transaction(carillon.pool, async tx => {
      await tx.query('set local session_replication_role = replica')
      await tx.query(statement)
    })
    await expect(work).rejects.toMatchObject({ message: 'audit_logs is append-only' })
  }
})

it('an audit row survives its actor, and only the reference is cleared', {
  tags: ['S002-26', 'S002-34'],
}, async () => {
  await carillon.putUser('temp')
  const { id, key } = await carillon.createKey({ name: 't', scopes: ['users:write'], user_id: 'temp' })
  await put('made-by-temp', {}, { key })
  const [before] = await logs('resource_id=made-by-temp')
  expect(before.user_id).toBe('temp')
  await carillon.request('DELETE', '/v1/users/temp')
  const [after] = await logs('resource_id=made-by-temp')
  expect(after).toEqual({ ...before, user_id: null })
  expect(after.api_key_id).toBe(id)
})

it('an audit row follows an actor whose id changes', { tags: 'S002-34' }, async () => {
  await carillon.putUser('maiden')
  const { key } = await carillon.createKey({ name: 'm', scopes: ['users:write'], user_id: 'maiden' })
  await put('made-by-maiden', {}, { key })
  await carillon.pool.query("update users set id = 'married' where id = 'maiden'")
  expect((await logs('resource_id=made-by-maiden'))[0].user_id).toBe('married')
})

it('a user who deletes itself leaves an audit row without an actor', { tags: 'S002-26' }, async () => {
  await carillon.putUser('gone')
  const { id, key } = await carillon.createKey({ name: 'g', scopes: ['users:write'], user_id: 'gone' })
  expect((await carillon.request('DELETE', '/v1/users/gone', { key })).status).toBe(204)
  const [row] = await logs('action=delete&resource_id=gone')
  expect(row).toMatchObject({ user_id: null, api_key_id: id, old_values: { id: 'gone' } })
})

it('the deletion of a tenant cannot be taken back, so it cannot be used to empty the audit log', async () => {
  const { id } = await carillon.createTenant('not really gone')
  await carillon.pool.query('update tenants set deleting_since = now() where id = $1', [id])
  await expect(
    carillon.pool.query('update tenants set deleting_since = null where id = $1', [id]),
  ).rejects.toMatchObject({ code: '42501', message: expect.stringContaining('cannot be taken back') })
})

it('the audit log is kept where nothing says for how long', async () => {
  const { id, key } = await carillon.createTenant('without a retention')
  await put('x', {}, { key })
  await carillon.pool.query('delete from tenant_retention where tenant_id = $1', [id])
  await expect(
    carillon.pool.query('delete from audit_logs where tenant_id = $1', [id]),
  ).rejects.toMatchObject({ code: '42501' })
})

it('the audit log of a tenant is deleted with the tenant', async () => {
  const { id, key } = await carillon.createTenant('to be dropped')
  await put('x', {}, { key })
  await carillon.pool.query('delete from tenants where id = $1', [id])
  const left = await carillon.pool.query('select from audit_logs where tenant_id = $1', [id])
  expect(left.rowCount).toBe(0)
})
