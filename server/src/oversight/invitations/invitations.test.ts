import type { KeyRole } from '@carillon/contract'
import { expect, it } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { aBrowserOf, anAccount, openBrowser, PASSWORD } from '../../../test/signed-in.ts'

const carillon = useCarillon()
let unique = 0
const newEmail = () => `invited-${++unique}@example.com`

async function anInvitation(email = newEmail(), role: KeyRole = 'operator', key = carillon.key) {
  const { status, body } = await carillon.request('POST', '/v1/invitations', { body: { email, role }, key })
  expect([status, body]).toEqual([201, body])
  return { ...body, token: /\/dashboard\/#invitation=([\w-]{43})$/.exec(body.url)![1]! }
}
const accept = (body: object, browser = openBrowser(carillon)) =>
  browser.request('POST', '/v1/invitations/accept', { body })
const open = async () => (await carillon.request('GET', '/v1/invitations')).body.data

it('an invitation is a link that is shown once and stored as a hash', async () => {
  const { id, email, token, url } = await anInvitation()
  expect((await open())[0]).toEqual({
    ...{ id, email, role: 'operator' },
    ...{ created_at: expect.any(String), expires_at: expect.any(String) },
  })
  const { rows } = await carillon.pool.query(
    "select string_agg(t::text, ' ') as text from (select i::text from invitations i union all select a::text from audit_logs a) t",
  )
  expect(rows[0].text).not.toContain(token)
  expect(url.startsWith(carillon.providers.publicUrl)).toBe(true)
  const read = await openBrowser(carillon).request('POST', '/v1/invitations/read', { body: { token } })
  expect(read.body).toEqual({
    ...{ email, role: 'operator', has_account: false },
    tenant: { id: carillon.tenantId, name: 'default' },
  })
})

it('an invitation makes one account and signs in once, even if two accept at the same time', async () => {
  const { email, token, id } = await anInvitation()
  expect((await accept({ token })).body.errors).toMatchObject([{ field: 'password' }])
  expect((await accept({ token, password: 'password1234' })).body.errors).toMatchObject([
    { field: 'password' },
  ])
  const answers = await atOnce(carillon.pool, `select from invitations where id = '${id}' for update`, [
    () => accept({ token, password: PASSWORD, name: 'Ada' }),
    () => accept({ token, password: PASSWORD, name: 'Bob' }),
  ])
  expect(answers.map(answer => answer.status).sort()).toEqual([201, 404])
  expect(answers.find(({ status }) => status === 201)?.body).toMatchObject({
    account: { email },
    role: 'operator',
  })
  expect((await openBrowser(carillon).signIn({ email, password: PASSWORD })).status).toBe(201)
  const logs = await carillon.readAll(`/v1/audit-logs?resource_type=invitation&resource_id=${id}`)
  expect(logs.map(log => [log.action, log.account_email])).toEqual([
    ['accept', email],
    ['create', null],
  ])
})

it('an invitation for an existing account needs its password or its session', async () => {
  const { id: tenantId, key } = await carillon.createTenant('inviting')
  const browser = await aBrowserOf(carillon, 'viewer')
  const { token } = await anInvitation(browser.account.email, 'admin', key)
  const stranger = await aBrowserOf(carillon, 'owner')
  for (const given of [{}, { password: 'something else entirely' }])
    for (const by of [openBrowser(carillon), stranger])
      expect(problemOf(await accept({ token, ...given }, by))).toMatchObject({
        status: 401,
        errors: [{ field: 'password' }],
      })
  const { cookie } = browser
  const joined = await accept({ token }, browser)
  expect([joined.status, joined.body]).toMatchObject([
    201,
    {
      account: { email: browser.account.email },
      tenant: { id: tenantId },
      role: 'admin',
      tenants: [{}, {}],
    },
  ])
  expect((await browser.request('GET', '/v1/session', { headers: { cookie } })).status).toBe(401)
  const other = await anAccount(carillon, undefined)
  const second = await anInvitation(other.email, 'viewer', key)
  expect((await accept({ token: second.token, password: PASSWORD })).status).toBe(201)
})

it('an invitation gives no role above the inviter’s', async () => {
  const admin = await aBrowserOf(carillon, 'admin')
  const body = { email: newEmail(), role: 'owner' }
  expect(problemOf(await admin.request('POST', '/v1/invitations', { body }))).toMatchObject({
    status: 403,
    errors: [{ field: 'role' }],
  })
  const fine = await admin.request('POST', '/v1/invitations', { body: { ...body, role: 'admin' } })
  expect(fine.status).toBe(201)
  const operator = await aBrowserOf(carillon, 'operator')
  expect((await operator.request('POST', '/v1/invitations', { body })).status).toBe(403)
})

it('an invitation is void once the inviter may no longer give its role', async () => {
  const owner = await aBrowserOf(carillon, 'owner')
  const [removed, demoted] = [await aBrowserOf(carillon, 'admin'), await aBrowserOf(carillon, 'admin')]
  const key = await carillon.createKey({ name: 'inviting', role: 'admin' })
  const links = []
  for (const [by, role] of [
    [removed, 'viewer'],
    [demoted, 'admin'],
    [demoted, 'viewer'],
  ] as const) {
    const body = { email: newEmail(), role }
    links.push((await by.request('POST', '/v1/invitations', { body })).body.url)
  }
  links.push((await anInvitation(newEmail(), 'viewer', key.key)).url)
  await owner.request('DELETE', `/v1/members/${removed.account.id}`)
  await owner.request('PATCH', `/v1/members/${demoted.account.id}`, { body: { role: 'operator' } })
  await carillon.request('DELETE', `/v1/api-keys/${key.id}`)
  const statuses = []
  for (const url of links) {
    const token = /#invitation=(.+)$/.exec(url)![1]!
    const read = await openBrowser(carillon).request('POST', '/v1/invitations/read', { body: { token } })
    statuses.push([read.status, (await accept({ token, password: PASSWORD })).status])
  }
  expect(statuses).toEqual([
    [404, 404],
    [404, 404],
    [200, 201],
    [404, 404],
  ])
})

it('an invitation ends when it is withdrawn, replaced or expired', async () => {
  const withdrawn = await anInvitation()
  expect((await carillon.request('DELETE', `/v1/invitations/${withdrawn.id}`)).status).toBe(204)
  expect((await carillon.request('DELETE', `/v1/invitations/${withdrawn.id}`)).status).toBe(404)
  const replaced = await anInvitation()
  const newer = await anInvitation(replaced.email)
  const old = await anInvitation()
  await carillon.pool.query("update invitations set expires_at = now() - interval '1 ms' where id = $1", [
    old.id,
  ])
  for (const { token } of [withdrawn, replaced, old])
    expect((await accept({ token, password: PASSWORD })).status).toBe(404)
  expect((await accept({ token: newer.token, password: PASSWORD })).status).toBe(201)
  const body = { email: replaced.email, role: 'viewer' }
  expect((await carillon.request('POST', '/v1/invitations', { body })).status).toBe(409)
})

it('an invitation cannot be accepted from another site', async () => {
  const { token } = await anInvitation()
  const browser = openBrowser(carillon, { 'sec-fetch-site': 'cross-site' })
  expect(problemOf(await accept({ token, password: PASSWORD }, browser)).code).toBe('csrf')
})
