import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const ENTRY = '/inbox/carillon-inbox.js'

it('the inbox element is served to pages of any origin without a key', async () => {
  const { statusCode, headers, body } = await carillon.api.inject(ENTRY)
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': 'public, no-cache',
  })
  expect(body).toContain('carillon-inbox')
})

it('parts with a hash in their name are kept for ever, and the entry is sent again only when it changed', async () => {
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
  'the inbox element has no file %s',
  async path => {
    expect((await carillon.api.inject(path)).statusCode).toBe(404)
  },
)
