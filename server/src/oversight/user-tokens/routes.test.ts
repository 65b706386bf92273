/** Tokens over HTTP: what they reach, and what ends them. */
import { beforeEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { tokenFor } from '../../../test/user-tokens.ts'

const carillon = useCarillon()
const MINE = '/v1/users/ada/preferences'
const statusOf = async (token: string, path = MINE) =>
  (await carillon.request('GET', path, { key: token })).status
const post = (path: string, key?: string) => carillon.request('POST', path, { ...(key && { key }) })

/** The token was made between then and now, to last so long. Databases round to whole milliseconds. */
function expectIssuedSince(before: number, expires_at: string, seconds: number): void {
  const issued = Date.parse(expires_at) - seconds * 1000
  expect(issued).toBeGreaterThanOrEqual(before - 1)
  expect(issued).toBeLessThanOrEqual(Date.now() + 1)
}

beforeEach(async () => {
  await carillon.putUser('ada')
  await carillon.putUser('bob')
})

it('a user token reaches what belongs to its person, and says when it ends', async () => {
  const before = Date.now()
  const { status, body } = await carillon.request('POST', '/v1/users/ada/token', {
    body: { ttl_seconds: 60 },
  })
  expect(status).toBe(201)
  expectIssuedSince(before, body.expires_at, 60)
  expect(await statusOf(body.token)).toBe(200)
  expect(await statusOf(body.token, '/v1/users/bob/preferences')).toBe(403)
  expect(await statusOf(body.token, '/v1/records')).toBe(403)
})

it.each([0, -1, 86_401, 1.5, '60'])('a user token cannot last %j seconds', async ttl_seconds => {
  const answer = await carillon.request('POST', '/v1/users/ada/token', { body: { ttl_seconds } })
  expect(problemOf(answer)).toMatchObject({ status: 400, errors: [{ field: 'ttl_seconds' }] })
})

it('a user token lasts an hour by default, and is only for people of the tenant', async () => {
  const before = Date.now()
  const { body } = await post('/v1/users/ada/token')
  expectIssuedSince(before, body.expires_at, 3600)
  expect((await post('/v1/users/nobody/token')).status).toBe(404)
  const stranger = await carillon.createTenant('strangers')
  expect((await post('/v1/users/ada/token', stranger.key)).status).toBe(404)
})

it('a user token ends when it expires', async () => {
  const token = await tokenFor(carillon, 'ada', { ttl_seconds: 1 })
  await expect.poll(() => statusOf(token)).toBe(401)
})

it('revoking a person’s tokens ends them, but not those of others or later ones', async () => {
  const [mine, bobs] = [await tokenFor(carillon, 'ada'), await tokenFor(carillon, 'bob')]
  expect((await post('/v1/users/ada/tokens/revoke')).status).toBe(204)
  expect(await statusOf(mine)).toBe(401)
  expect(await statusOf(bobs, '/v1/users/bob/preferences')).toBe(200)
  expect(await statusOf(await tokenFor(carillon, 'ada'))).toBe(200)
  expect((await post('/v1/users/nobody/tokens/revoke')).status).toBe(404)
})

it('revoking all user tokens of a tenant ends them, but none of another tenant', async () => {
  const other = await carillon.createTenant('others')
  const mine = await tokenFor(carillon, 'ada')
  await post('/v1/user-tokens/revoke', other.key)
  expect(await statusOf(mine)).toBe(200)
  const { body } = await post('/v1/user-tokens/revoke')
  expect(body).toMatchObject({ void_before: expect.any(String) })
  expect(await statusOf(mine)).toBe(401)
  expect(await statusOf(await tokenFor(carillon, 'ada'))).toBe(200)
})

it('a user token survives one rotation, but not two', async () => {
  const mine = await tokenFor(carillon, 'ada')
  const { body } = await post('/v1/user-tokens/rotate')
  expect(await statusOf(mine)).toBe(200)
  expect((await post('/v1/user-tokens/rotate')).body.epoch).toBe(body.epoch + 1)
  expect(await statusOf(mine)).toBe(401)
})

it('a user token ends with its person, even if a new person gets the same id', async () => {
  await carillon.putUser('eve')
  const token = await tokenFor(carillon, 'eve')
  await carillon.request('DELETE', '/v1/users/eve')
  expect(await statusOf(token, '/v1/users/eve/preferences')).toBe(401)
  await carillon.putUser('eve')
  expect(await statusOf(token, '/v1/users/eve/preferences')).toBe(401)
  expect(await statusOf(await tokenFor(carillon, 'eve'), '/v1/users/eve/preferences')).toBe(200)
})

it('a user token is refused while its tenant is suspended, with the reason', async () => {
  const { id, key } = await carillon.createTenant('late payers')
  await carillon.request('PUT', '/v1/users/ada', { key, body: {} })
  const token = await tokenFor(carillon, 'ada', { key })
  await carillon.request('POST', `/v1/tenants/${id}/suspend`, { body: { reason: 'Pay first.' } })
  const problem = problemOf(await carillon.request('GET', MINE, { key: token }))
  expect(problem).toMatchObject({
    status: 403,
    code: 'tenant_suspended',
    detail: expect.stringContaining('Pay first.'),
  })
  await carillon.request('POST', `/v1/tenants/${id}/resume`)
  expect(await statusOf(token)).toBe(200)
})

it('a change made with a user token is audited as the person’s, without the token', {
  tags: 'S004-19',
}, async () => {
  const token = await tokenFor(carillon, 'ada')
  const body = { channels: { sms: { enabled: false } } }
  await carillon.request('PATCH', MINE, { key: token, body })
  const [row] = await carillon.readAll('/v1/audit-logs?resource_id=ada')
  expect(row).toMatchObject({ resource_type: 'preferences', user_id: 'ada', api_key_id: null })
  const { rows } = await carillon.pool.query('select to_jsonb(a)::text as text from audit_logs a')
  expect(rows.filter(({ text }) => text.includes(token) || text.includes('cut_'))).toEqual([])
})

it('a user token can neither make nor end user tokens', async () => {
  const token = await tokenFor(carillon, 'ada')
  for (const path of ['/v1/users/ada/token', '/v1/users/ada/tokens/revoke', '/v1/user-tokens/rotate'])
    expect((await post(path, token)).status).toBe(403)
})

it('user_requests_per_minute limits all tokens of a person together, apart from keys and other people', async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { user_requests_per_minute: 3 } })
  await carillon.putUser('cyd')
  await carillon.putUser('dan')
  const CYDS = '/v1/users/cyd/preferences'
  const [mine, again, dans] = [
    await tokenFor(carillon, 'cyd'),
    await tokenFor(carillon, 'cyd'),
    await tokenFor(carillon, 'dan'),
  ]
  for (const token of [mine, again, mine]) expect(await statusOf(token, CYDS)).toBe(200)
  const refused = await carillon.request('GET', CYDS, { key: again })
  expect(problemOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(refused.headers['ratelimit-limit']).toBe('3')
  expect(await statusOf(dans, '/v1/users/dan/preferences')).toBe(200)
  const { key } = await carillon.createKey({ name: 'of cyd', scopes: ['preferences:read'], user_id: 'cyd' })
  expect(await statusOf(key, CYDS)).toBe(200)
  carillon.limitClock.ms += 60_000
  expect(await statusOf(mine, CYDS)).toBe(200)
  await carillon.request('PATCH', '/v1/tenant', { body: { user_requests_per_minute: 300 } })
})
