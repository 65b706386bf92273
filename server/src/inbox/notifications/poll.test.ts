import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const PATHS = ['/v1/inbox?user_id=ada', '/v1/inbox/unread-count?user_id=ada']

it.each(PATHS)('a cached answer of a deleted person is not confirmed to a later namesake: %s', async path => {
  await carillon.putUser('ada')
  const { headers } = await carillon.request('GET', path)
  const seen = { 'if-none-match': String(headers.etag) }
  expect((await carillon.request('GET', path, { headers: seen })).status).toBe(304)
  await carillon.request('DELETE', '/v1/users/ada')
  await carillon.putUser('ada')
  expect((await carillon.request('GET', path, { headers: seen })).status).toBe(200)
})
