import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { decodeCursor, encodeCursor, toPage } from './page.ts'

const carillon = useCarillon()
const UUID = '01900000-0000-7000-8000-000000000000'
const TIME = '2026-01-01T00:00:00.000Z'

describe('a cursor', () => {
  it('comes back as it was given out', () => {
    expect(decodeCursor(encodeCursor([TIME, UUID]), ['time', 'uuid'])).toEqual([TIME, UUID])
    expect(decodeCursor(encodeCursor(['12']), ['integer'])).toEqual(['12'])
    expect(decodeCursor(undefined, ['text'])).toBeUndefined()
  })

  // Every list refuses every kind of nonsense: api.paging.test.ts.
  it.each([
    ['wild text', ['yesterday', 'nobody']],
    ['an injected statement', [`${TIME}'; drop table records; --`, UUID]],
  ])('with %s is refused', (_name, key) => {
    expect(() => decodeCursor(encodeCursor(key), ['time', 'uuid'])).toThrow('next_cursor')
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
