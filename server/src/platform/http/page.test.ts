import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { decodeCursor, encodeCursor, toPage } from './page.ts'

const carillon = useCarillon()
const UUID = '01900000-0000-7000-8000-000000000000'
const TIME = '2026-01-01T00:00:00.000Z'
const LISTS = [
  '/v1/records',
  `/v1/records/${UUID}/routes`,
  `/v1/records/${UUID}/explain`,
  '/v1/routes',
  '/v1/dead-letters',
  '/v1/malformed-intents',
  '/v1/captured-messages',
  '/v1/system-events',
  '/v1/users',
  '/v1/api-keys',
  '/v1/topics/t/watches',
]
let record: string

beforeAll(async () => {
  record = await carillon.send()
})

describe('a cursor', () => {
  it('comes back as it was given out', () => {
    expect(decodeCursor(encodeCursor([TIME, UUID]), ['time', 'uuid'])).toEqual([TIME, UUID])
    expect(decodeCursor(encodeCursor(['12']), ['integer'])).toEqual(['12'])
    expect(decodeCursor(undefined, ['text'])).toBeUndefined()
  })

  it.each([
    ['no cursor at all', ''],
    ['garbage', 'garbage!'],
    ['no JSON', Buffer.from('[1').toString('base64url')],
    ['no list', encodeCursor({ length: 2 } as never)],
    ['an empty list', encodeCursor([])],
    ['too many parts', encodeCursor([TIME, UUID, UUID, UUID])],
    ['numbers', encodeCursor([1, 2])],
    ['wild text', encodeCursor(['yesterday', 'nobody'])],
    ['a NUL', encodeCursor(['\u0000'])],
    ['nested parts', encodeCursor([[TIME], [UUID]] as never)],
    ['an injected statement', encodeCursor([`${TIME}'; drop table records; --`, UUID])],
  ])('with %s is refused as invalid_cursor by every list', async (_name, cursor) => {
    for (const list of LISTS) {
      const path = list.replace(UUID, record)
      const answer = await carillon.request('GET', `${path}?cursor=${encodeURIComponent(cursor)}`)
      expect([path, problemOf(answer).code, answer.body.status]).toEqual([path, 'invalid_cursor', 400])
      expect(answer.body.errors[0].field).toBe('cursor')
    }
  })

  it('of another list is refused where its parts do not fit', async () => {
    const cursor = encodeCursor([UUID, 'email:address:x'])
    expect((await carillon.request('GET', `/v1/routes?cursor=${cursor}`)).status).toBe(200)
    expect(problemOf(await carillon.request('GET', `/v1/records?cursor=${cursor}`)).code).toBe(
      'invalid_cursor',
    )
  })
})

describe('a page', () => {
  const page = (count: number) =>
    toPage(
      [1, 2, 3, 4].slice(0, count),
      3,
      n => [String(n)],
      n => n * 10,
    )

  it('shows at most the limit, and has a next cursor only when more follow', () => {
    expect(page(4)).toEqual({ data: [10, 20, 30], next_cursor: encodeCursor(['3']) })
    expect(page(3)).toEqual({ data: [10, 20, 30], next_cursor: null })
    expect(page(0)).toEqual({ data: [], next_cursor: null })
  })
})
