import { expect, it } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { aBrowserOf, anAccount } from '../../../test/signed-in.ts'

const carillon = useCarillon()
const path = ({ id }: { id: string }) => `/v1/members/${id}`

async function aTenant() {
  const { id, key } = await carillon.createTenant(`tenant ${Math.random()}`)
  const browserOf = (role: Parameters<typeof aBrowserOf>[1]) => aBrowserOf(carillon, role, [id])
  return { id, key, browserOf }
}

it('members are listed; their internal keys are not, and have no scopes', async () => {
  const { key, browserOf } = await aTenant()
  const { account, request } = await browserOf('admin')
  expect((await request('GET', '/v1/members')).body.data).toMatchObject([
    { account_id: account.id, email: account.email, role: 'admin', last_seen_at: expect.any(String) },
  ])
  const keys = await carillon.readAll('/v1/api-keys', 100, key)
  expect(keys.map(each => each.name)).toEqual(['first key'])
  const { rows } = await carillon.pool.query(
    'select api_key_id, scopes from members m join api_keys k on k.id = m.api_key_id where account_id = $1',
    [account.id],
  )
  expect(rows[0].scopes).toBeNull()
  expect((await carillon.request('DELETE', `/v1/api-keys/${rows[0].api_key_id}`, { key })).status).toBe(404)
})

it('a member gets another role at once', async () => {
  const { browserOf } = await aTenant()
  const owner = await browserOf('owner')
  const other = await browserOf('viewer')
  const write = () => other.request('PUT', '/v1/users/ada', { body: {} })
  expect((await write()).status).toBe(403)
  const change = await owner.request('PATCH', path(other.account), { body: { role: 'admin' } })
  expect([change.status, change.body.role]).toEqual([200, 'admin'])
  expect((await write()).status).toBe(200)
  await owner.request('PATCH', path(other.account), { body: { role: 'viewer' } })
  expect((await write()).status).toBe(403)
})

it('a removed member is out at once, with its triggers', async () => {
  const { key, browserOf } = await aTenant()
  const owner = await browserOf('owner')
  const other = await browserOf('admin')
  const script = { name: 'noted', source: 'export default () => 1' }
  const { id: script_id } = (await other.request('POST', '/v1/scripts', { body: script })).body
  const trigger = { name: 'noon', kind: 'cron', script_id, config: { cron: '0 12 * * *', timezone: 'UTC' } }
  expect((await other.request('POST', '/v1/triggers', { body: trigger })).status).toBe(201)
  expect((await other.request('POST', '/v1/scripts/noted/invoke', { body: {} })).status).toBeLessThan(500)
  expect((await owner.request('DELETE', path(other.account))).status).toBe(204)
  expect(problemOf(await other.request('GET', '/v1/users')).code).toBe('no_membership')
  expect(await carillon.readAll('/v1/triggers', 100, key)).toEqual([])
  expect((await owner.request('DELETE', path(other.account))).status).toBe(404)
})

it('only owners make and unmake owners', async () => {
  const { browserOf } = await aTenant()
  const [owner, second, admin] = [
    await browserOf('owner'),
    await browserOf('owner'),
    await browserOf('admin'),
  ]
  const promote = await admin.request('PATCH', path(admin.account), { body: { role: 'owner' } })
  expect(problemOf(promote)).toMatchObject({ status: 403, errors: [{ field: 'role' }] })
  expect(
    problemOf(await admin.request('PATCH', path(second.account), { body: { role: 'viewer' } })).code,
  ).toBe('forbidden')
  expect(problemOf(await admin.request('DELETE', path(second.account))).code).toBe('forbidden')
  expect((await owner.request('PATCH', path(admin.account), { body: { role: 'owner' } })).status).toBe(200)
})

it('one owner stays when two leave at the same time', async () => {
  const { id, key, browserOf } = await aTenant()
  const [one, two] = [await browserOf('owner'), await browserOf('owner')]
  const lock = `select from members where tenant_id = '${id}' for update`
  const answers = await atOnce(carillon.pool, lock, [
    () => one.request('DELETE', path(one.account)),
    () => two.request('PATCH', path(two.account), { body: { role: 'viewer' } }),
  ])
  expect(answers.map(answer => answer.status).sort()).toEqual([expect.toBeOneOf([200, 204]), 409])
  expect(problemOf(answers.find(answer => answer.status === 409)!).code).toBe('last_owner')
  const members = (await carillon.request('GET', '/v1/members', { key })).body.data
  expect(members.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1)
})

it('a member of another tenant is not found', async () => {
  const { browserOf } = await aTenant()
  const stranger = await browserOf('owner')
  const account = await anAccount(carillon, 'viewer')
  for (const [method, body] of [
    ['PATCH', { role: 'viewer' }],
    ['DELETE', undefined],
  ] as const)
    expect((await stranger.request(method, path(account), body && { body })).status).toBe(404)
})

it('deleting a tenant removes its members and keeps their accounts', async () => {
  const { id, browserOf } = await aTenant()
  const { request } = await browserOf('owner')
  const { accounts } = await carillon.rowCounts()
  await carillon.pool.query('delete from tenants where id = $1', [id])
  expect(problemOf(await request('GET', '/v1/session')).code).toBe('no_membership')
  expect((await carillon.rowCounts()).accounts).toBe(accounts)
})
