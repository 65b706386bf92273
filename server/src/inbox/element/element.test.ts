import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const ENTRY = '/inbox/carillon-inbox.js'

it('serves the element to pages of any origin, and asks nobody for a key', async () => {
  const { statusCode, headers, body } = await carillon.api.inject(ENTRY)
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': 'public, no-cache',
  })
  expect(body).toContain('carillon-inbox')
})

it('lets parts with a hash in their name be kept for ever, and sends the rest again only when it changed', async () => {
  const { headers, body } = await carillon.api.inject(ENTRY)
  const again = await carillon.api.inject({ url: ENTRY, headers: { 'if-none-match': String(headers.etag) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  const [part] = /part-[\w-]+\.js/.exec(body)!
  const answer = await carillon.api.inject(`/inbox/${part}`)
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
})

it.each(['/inbox/nothing.js', '/inbox/..%2Fpackage.json', '/inbox/types/headless.d.ts'])(
  'has no %s',
  async path => {
    expect((await carillon.api.inject(path)).statusCode).toBe(404)
  },
)
