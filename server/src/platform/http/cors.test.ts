/** Pages of a tenant's origins, and of others. */
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { tokenFor } from '../../../test/user-tokens.ts'

const carillon = useCarillon()
const APP = 'https://app.example.com'
const OTHER = 'https://shop.example.net'
const MINE = '/v1/users/ada/preferences'
let token: string

beforeAll(async () => {
  await carillon.putUser('ada')
  await carillon.request('PATCH', '/v1/tenant', { body: { cors_origins: [APP] } })
  const { key } = await carillon.createTenant('shop')
  await carillon.request('PATCH', '/v1/tenant', { key, body: { cors_origins: [OTHER] } })
  token = await tokenFor(carillon, 'ada')
})

const preflight = async (url: string, origin: string) =>
  (await carillon.api.inject({
    method: 'OPTIONS',
    url,
    headers: { origin, 'access-control-request-method': 'PATCH' },
  })) as { statusCode: number; headers: Record<string, unknown> }
const get = (path: string, key: string | null, origin: string) =>
  carillon.request('GET', path, { key, headers: { origin } })
const allowed = ({ headers }: { headers: Record<string, unknown> }) => headers['access-control-allow-origin']

describe('a preflight', () => {
  it('is answered for routes of people to origins that a tenant lists', async () => {
    for (const origin of [APP, OTHER]) {
      const { statusCode, headers } = await preflight(MINE, origin)
      expect(statusCode).toBe(204)
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
      expect(String(headers['access-control-allow-methods']).split(', ')).toEqual(
        expect.arrayContaining(['GET', 'PUT', 'PATCH']),
      )
      expect(headers['access-control-allow-headers']).toContain('authorization')
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  it.each([
    'https://evil.example',
    'http://app.example.com',
    `${APP}:8443`,
    `${APP}.evil.example`,
    'null',
    '*',
  ])('is not for %s', async origin => {
    const answer = await preflight(MINE, origin)
    expect([answer.statusCode, allowed(answer)]).toEqual([204, undefined])
    expect(answer.headers.vary).toBe('Origin')
  })

  it('is not for routes that only keys reach', async () => {
    for (const path of ['/v1/records', '/v1/users/ada', '/v1/tenant'])
      expect(allowed(await preflight(path, APP))).toBeUndefined()
  })
})

describe('an answer', () => {
  it('can be read by the pages of the token’s own tenant', async () => {
    const answer = await get(MINE, token, APP)
    expect([answer.status, allowed(answer), answer.headers.vary]).toEqual([200, APP, 'Origin'])
    expect(answer.headers['access-control-expose-headers']).toContain('retry-after')
  })

  it('cannot be read by those of another tenant, or of none', async () => {
    for (const origin of [OTHER, 'https://evil.example', 'null'])
      expect(allowed(await get(MINE, token, origin))).toBeUndefined()
  })

  it('to an API key can be read by no page', async () => {
    const answer = await get(MINE, carillon.key, APP)
    expect([answer.status, allowed(answer)]).toEqual([200, undefined])
  })

  it('that refuses can be read too, so that a page learns that its token has ended', async () => {
    const answer = await get(MINE, 'cut_wrong', APP)
    expect([problemOf(answer).status, allowed(answer)]).toEqual([401, APP])
    const foreign = await get('/v1/users/bob/preferences', token, APP)
    expect([foreign.status, allowed(foreign)]).toEqual([403, APP])
    const keyed = await get('/v1/records', token, APP)
    expect([keyed.status, allowed(keyed)]).toEqual([403, undefined])
  })
})

describe('the origins of a tenant', () => {
  it.each([
    '*',
    'null',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/inbox',
    'https://*.example.com',
    'https://APP.example.com',
    'ftp://app.example.com',
    'https://user@app.example.com',
    'https://app.example.com:443',
    '',
  ])('cannot be "%s"', async origin => {
    const answer = await carillon.request('PATCH', '/v1/tenant', { body: { cors_origins: [origin] } })
    expect(problemOf(answer)).toMatchObject({ status: 400, errors: [{ field: 'cors_origins.0' }] })
  })
})
