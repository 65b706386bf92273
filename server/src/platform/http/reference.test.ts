import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const get = (url: string, headers: Record<string, string> = {}) => carillon.api.inject({ url, headers })

describe('the documentation', () => {
  it.each(['/openapi.json', '/docs/', '/docs/js/scalar.js'])('%s is compressed and cached', async url => {
    const plain = await get(url)
    expect([plain.statusCode, plain.headers['content-encoding']]).toEqual([200, undefined])
    const zipped = await get(url, { 'accept-encoding': 'br, gzip' })
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true)
    const again = await get(url, { 'if-none-match': String(plain.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it.each(['/docs/openapi.json', '/docs/openapi.yaml'])('%s is not served twice', async url => {
    expect(problemOf(await carillon.request('GET', url)).code).toBe('not_found')
  })
})

describe('answers of the API', () => {
  it('are never stored on the way, least of all the secrets in them', async () => {
    const body = { name: 'shown once', scopes: [] }
    for (const answer of [
      await carillon.request('POST', '/v1/api-keys', { body }),
      await carillon.request('GET', '/v1/users'),
      await carillon.request('GET', '/v1/users', { key: null }),
    ])
      expect(answer.headers['cache-control']).toBe('no-store')
  })
})
