import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const AT = '2026-03-01T10:00:00.123Z'
const addresses = ['a@x.io', 'b@x.io', 'c@x.io']

/** Nine records with three routes each and every third route dead, all of the same millisecond. */
beforeAll(async () => {
  for (let n = 0; n < 9; n++)
    await carillon.send({
      audience: { kind: 'addresses', channel: n % 3 === 0 ? 'chat' : 'email', addresses },
    })
  await carillon.pool.query(
    `update routes set status = 'dead', dead_at = now(), next_attempt_at = null where resolved_address = 'b@x.io'`,
  )
  await carillon.pool.query('update records set accepted_at = $1', [AT])
  await carillon.pool.query('update routes set created_at = $1', [AT])
})

const keyOf = (item: Record<string, unknown>) => `${item.notification_id} ${item.route_id}`

// Every list, whole and with one filter, is paged by api.paging.test.ts.
const LISTS: [string, number][] = [
  ['/v1/records?producer=api', 9],
  ['/v1/records?status=dead', 9],
  ['/v1/records?status=pending', 9],
  ['/v1/routes', 27],
  ['/v1/routes?status=dead', 9],
  ['/v1/routes?status=pending', 18],
  ['/v1/routes?status=dead&channel=email', 6],
]

it.each(LISTS)(
  'pages of %s over equal times neither lose nor repeat one of %i rows',
  { tags: 'S000-30' },
  async (path, total) => {
    const whole = (await carillon.readAll(path)).map(keyOf)
    expect(new Set(whole).size).toBe(total)
    for (const limit of [1, 2, 4]) expect((await carillon.readAll(path, limit)).map(keyOf)).toEqual(whole)
  },
)

it('records that arrive between two pages do not shift the next one', { tags: 'S000-30' }, async () => {
  const first = (await carillon.request('GET', '/v1/records?limit=4')).body
  const newer = await carillon.send()
  const second = (await carillon.request('GET', `/v1/records?limit=100&cursor=${first.next_cursor}`)).body
  await carillon.pool.query('delete from records where notification_id = $1', [newer])
  const ids = [...first.data, ...second.data].map(record => record.notification_id)
  expect(ids).toHaveLength(9)
  expect(new Set(ids).size).toBe(9)
  expect(ids).not.toContain(newer)
})

it('the routes of one record are paged', async () => {
  const [{ notification_id }] = await carillon.readAll('/v1/records')
  const routes = await carillon.readAll(`/v1/records/${notification_id}/routes`, 1)
  expect(routes.map(route => route.resolved_address)).toEqual(addresses)
})

it('a page has 20 rows by default', { tags: 'S002-8' }, async () => {
  expect((await carillon.request('GET', '/v1/routes')).body.data).toHaveLength(20)
})
