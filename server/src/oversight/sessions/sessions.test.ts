import { ROLE_SCOPES } from '@carillon/contract'
import { expect, it } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { aBrowserOf, anAccount, openBrowser, PASSWORD } from '../../../test/signed-in.ts'

const carillon = useCarillon()

it('signing in sets a cookie that only the browser can read and that is stored as a hash', async () => {
  const account = await anAccount(carillon, 'owner')
  const browser = openBrowser(carillon, { 'user-agent': 'Firefox' })
  const answer = await browser.signIn({ email: account.email.toUpperCase(), password: PASSWORD })
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      account: { ...account, name: expect.any(String) },
      api_key: null,
      tenant: { id: carillon.tenantId, name: 'default' },
      role: 'owner',
      scopes: ['admin'],
      tenants: [{ id: carillon.tenantId, name: 'default', role: 'owner' }],
      expires_at: expect.any(String),
      needs_password: false,
    },
  ])
  const cookie = String(answer.headers['set-cookie'])
  expect(cookie).toMatch(
    /^__Host-carillon_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  )
  const token = browser.cookie.split('=')[1]!
  const { rows } = await carillon.pool.query('select s::text as text from sessions s')
  expect(rows.some(({ text }) => text.includes(token))).toBe(false)
  expect((await browser.request('GET', '/v1/session')).body).toEqual(answer.body)
})

it('signing in refuses a wrong password and an unknown email alike', async () => {
  const account = await anAccount(carillon, 'viewer')
  const answers = [
    await openBrowser(carillon).signIn({ email: account.email, password: 'something else' }),
    await openBrowser(carillon).signIn({ email: 'nobody@example.com', password: PASSWORD }),
  ].map(problemOf)
  for (const { status, code, detail } of answers)
    expect({ status, code, detail }).toEqual({
      status: 401,
      code: 'unauthenticated',
      detail: 'The email or the password is wrong.',
    })
  const logged = () => carillon.readAll(`/v1/audit-logs?resource_id=${account.id}`)
  await expect.poll(logged).toMatchObject([{ action: 'sign_in_refused', account_email: account.email }])
})

it('a password that changes while it is checked opens no session', async () => {
  const { id, email } = await anAccount(carillon, 'viewer')
  const changed = `update accounts set password_hash = '$argon2id$another' where id = '${id}'`
  const { sessions } = await carillon.rowCounts()
  const [answer] = await atOnce(carillon.pool, changed, [
    () => openBrowser(carillon).signIn({ email, password: PASSWORD }),
  ])
  expect(problemOf(answer!)).toMatchObject({ status: 401, code: 'unauthenticated' })
  expect((await carillon.rowCounts()).sessions).toBe(sessions)
})

it('the audit log names the account that made a change', async () => {
  const browser = await aBrowserOf(carillon, 'admin')
  const put = await browser.request('PUT', '/v1/users/ada', { body: {} })
  expect(put.status).toBe(200)
  const { data } = (await carillon.request('GET', `/v1/audit-logs?account_id=${browser.account.id}`)).body
  expect(data).toMatchObject([
    {
      action: 'create',
      resource_type: 'user',
      account_id: browser.account.id,
      account_email: browser.account.email,
      api_key_id: null,
    },
    { action: 'sign_in', resource_type: 'session' },
  ])
})

it('over HTTPS, only the cookie that no other host of the domain can set signs in', async () => {
  const { cookie } = await aBrowserOf(carillon, 'owner')
  const plain = cookie.replace('__Host-', '')
  const ask = (cookie: string) =>
    carillon.request('GET', '/v1/session', { key: null, headers: { cookie, 'x-carillon-dashboard': '1' } })
  expect(plain).toMatch(/^carillon_session=/)
  expect([(await ask(plain)).status, (await ask(`${plain}x; ${cookie}`)).status]).toEqual([401, 200])
})

it('a request with the cookie needs the header of the dashboard, whatever its method', async () => {
  const { cookie } = await aBrowserOf(carillon, 'owner')
  for (const [method, path] of [
    ['GET', '/v1/session'],
    ['GET', '/v1/users'],
    ['DELETE', '/v1/session'],
    ['POST', '/v1/intents'],
  ] as const) {
    const problem = problemOf(await carillon.request(method, path, { key: null, headers: { cookie } }))
    expect([problem.status, problem.code]).toEqual([403, 'csrf'])
    expect(problem.errors?.[0]?.field).toBe('x-carillon-dashboard')
  }
})

it.each([
  ['same-origin', 'GET', 200],
  ['none', 'GET', 200],
  ['none', 'POST', 403],
  ['same-site', 'GET', 403],
  ['cross-site', 'GET', 403],
  ['cross-site', 'POST', 403],
] as const)('a request with the cookie from a %s page by %s gets %i', async (site, method, status) => {
  const browser = await aBrowserOf(carillon, 'owner')
  const options = { headers: { 'sec-fetch-site': site }, ...(method === 'POST' && { body: {} }) }
  expect(
    (await browser.request(method, method === 'GET' ? '/v1/users' : '/v1/intents', options)).status,
  ).toBe(status)
})

it('a request with a cookie and a key is one of the key', async () => {
  const browser = await aBrowserOf(carillon, 'viewer')
  const headers = { authorization: `Bearer ${carillon.key}` }
  expect((await browser.request('PUT', '/v1/users/bob', { body: {}, headers })).status).toBe(200)
  expect((await browser.request('PUT', '/v1/users/bob', { body: {} })).status).toBe(403)
})

it('a session ends when unused for 14 days or 90 days old, and until then each use moves its end', async () => {
  const browser = await aBrowserOf(carillon, 'viewer')
  const set = (change: string) =>
    carillon.pool.query(`update sessions set ${change} where account_id = $1`, [browser.account.id])
  await set("last_seen_at = now() - interval '3 days', expires_at = now() + interval '11 days'")
  const moved = await browser.request('GET', '/v1/session')
  expect(moved.headers['set-cookie']).toContain('Max-Age=12')
  expect(Date.parse(moved.body.expires_at) - Date.now()).toBeGreaterThan(13.9 * 86_400_000)
  await set("last_seen_at = now() - interval '3 days', created_at = now() - interval '89 days'")
  const last = await browser.request('GET', '/v1/session')
  expect(Date.parse(last.body.expires_at) - Date.now()).toBeLessThan(1.1 * 86_400_000)
  await set("expires_at = now() - interval '1 ms'")
  expect(problemOf(await browser.request('GET', '/v1/session')).code).toBe('unauthenticated')
})

it('a session of an API key has the scopes of the key and ends with the key', async () => {
  const key = await carillon.createKey({ name: 'dashboard', scopes: ['users:read'] })
  const browser = openBrowser(carillon)
  const { status, body } = await browser.signIn({ api_key: key.key })
  expect([status, body]).toMatchObject([
    201,
    {
      account: null,
      api_key: { id: key.id, name: 'dashboard' },
      role: null,
      scopes: ['users:read'],
      tenants: [],
    },
  ])
  expect((await browser.request('GET', '/v1/users')).status).toBe(200)
  expect((await browser.request('GET', '/v1/api-keys')).status).toBe(403)
  await carillon.request('DELETE', `/v1/api-keys/${key.id}`)
  for (const path of ['/v1/users', '/v1/session', '/v1/sessions'])
    expect((await browser.request('GET', path)).status).toBe(401)
  expect((await browser.signIn({ api_key: key.key })).status).toBe(401)
})

it('an account chooses its tenant by a header or for the whole session', async () => {
  const { id: other } = await carillon.createTenant('other')
  const { id: foreign } = await carillon.createTenant('foreign')
  const browser = await aBrowserOf(carillon, 'operator', [carillon.tenantId, other])
  // Both may have been joined within one millisecond.
  await carillon.pool.query(
    "update members set created_at = created_at - interval '1 day' where tenant_id = $1 and account_id = $2",
    [carillon.tenantId, browser.account.id],
  )
  const tenantOf = async (headers = {}) => (await browser.request('GET', '/v1/tenant', { headers })).body.id
  expect(await tenantOf()).toBe(carillon.tenantId)
  expect(await tenantOf({ 'x-carillon-tenant': other })).toBe(other)
  const change = await browser.request('PATCH', '/v1/session', { body: { tenant_id: other } })
  expect(change.body).toMatchObject({ tenant: { id: other, name: 'other' }, scopes: ROLE_SCOPES.operator })
  expect(await tenantOf()).toBe(other)
  const headers = { 'x-carillon-tenant': foreign }
  const refused = problemOf(await browser.request('GET', '/v1/tenant', { headers }))
  expect([refused.status, refused.errors?.[0]?.field]).toEqual([403, 'x-carillon-tenant'])
  const body = { tenant_id: foreign }
  expect(problemOf(await browser.request('PATCH', '/v1/session', { body })).errors?.[0]?.field).toBe(
    'tenant_id',
  )
  const wrong = { headers: { 'x-carillon-tenant': 'nothing' } }
  expect(problemOf(await browser.request('GET', '/v1/tenant', wrong)).status).toBe(400)
  await carillon.request('POST', `/v1/tenants/${other}/suspend`, { body: {} })
  expect(await tenantOf()).toBe(carillon.tenantId)
})

it('an account without a tenant is told so', async () => {
  const browser = await aBrowserOf(carillon, undefined)
  expect(problemOf(await browser.request('GET', '/v1/session'))).toMatchObject({
    status: 403,
    code: 'no_membership',
  })
  expect((await browser.request('DELETE', '/v1/session')).status).toBe(204)
})

it('signing out forgets the cookie and ends the session', async () => {
  const browser = await aBrowserOf(carillon, 'owner')
  const { cookie } = browser
  const answer = await browser.request('DELETE', '/v1/session')
  expect([answer.status, answer.headers['set-cookie']]).toEqual([
    204,
    '__Host-carillon_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
  ])
  expect((await browser.request('GET', '/v1/session', { headers: { cookie } })).status).toBe(401)
})
