/** Every list that answers page by page. */
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../test/carillon.ts'
import { EACH, type Inhabited, inhabit } from '../test/inhabited.ts'
import { operationsOf } from '../test/operations.ts'
import { encodeCursor } from './platform/http/page.ts'

const carillon = useCarillon()
const AT = '2026-03-01T10:00:00.123Z'
const UUID = '01900000-0000-7000-8000-000000000000'
let inhabited: Inhabited
let lists: string[]
/** The lists with each of their filters that has a few values. */
let filtered: string[]

/** All of the very same millisecond, so that only the rest of the sort key tells rows apart. */
beforeAll(async () => {
  inhabited = await inhabit(carillon)
  const paged = operationsOf(carillon.api).filter(({ isPaged }) => isPaged)
  lists = paged.map(({ name }) => inhabited.ask(name))
  filtered = paged.flatMap(({ name, choices }) =>
    Object.entries(choices).flatMap(([filter, values]) =>
      values.map(value => withFilter(inhabited.ask(name), filter, value)),
    ),
  )
  const { rows } = await carillon.pool.query<{ change: string }>(
    `select format('update %I set %I = $1', table_name, column_name) as change from information_schema.columns
     where table_schema = 'carillon' and column_name in ('created_at', 'accepted_at', 'recorded_at', 'captured_at')
       and table_name <> 'audit_logs'`,
  )
  for (const { change } of rows) await carillon.pool.query(change, [AT])
})

/** In the place of the value that the list is usually asked with. */
function withFilter(list: string, filter: string, value: string): string {
  const [path, query] = list.split('?')
  const search = new URLSearchParams(query)
  search.set(filter, value)
  return `${path}?${search}`
}

/** The page's own items; explanations show people, that of a record each with some of their routes. */
interface Page {
  data?: object[]
  people?: { routes?: object[] }[]
  next_cursor: string | null
}
const itemsOf = ({ data, people }: Page) => data ?? people!.flatMap(person => person.routes ?? [person])
const get = async (list: string, query: string) =>
  (await carillon.request('GET', `${list}${list.includes('?') ? '&' : '?'}${query}`)).body

async function pagesOf(list: string, limit: number): Promise<object[][]> {
  const pages: object[][] = []
  for (let cursor = ''; ; ) {
    const page: Page = await get(list, `limit=${limit}${cursor}`)
    pages.push(itemsOf(page))
    if (page.next_cursor === null) return pages
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

describe('every list', () => {
  it('neither loses nor repeats a row over equal times, however small its pages', {
    tags: 'S000-30',
  }, async () => {
    for (const list of lists) {
      const whole = (await pagesOf(list, 100)).flat()
      expect([list, whole.length >= EACH]).toEqual([list, true])
      expect(new Set(whole.map(item => JSON.stringify(item))).size).toBe(whole.length)
      for (const limit of [1, 2, 3]) {
        const pages = await pagesOf(list, limit)
        expect([list, limit, pages.flat()]).toEqual([list, limit, whole])
        expect([list, pages.length]).toEqual([list, Math.ceil(whole.length / limit)])
      }
    }
  })

  it('does the same behind each of its filters', { tags: 'S000-30' }, async () => {
    let longest = 0
    for (const list of filtered) {
      const whole = await pagesOf(list, 100)
      longest = Math.max(longest, whole.flat().length)
      expect([list, (await pagesOf(list, 1)).flat()]).toEqual([list, whole.flat()])
    }
    expect(longest).toBeGreaterThan(EACH)
  })

  it.each([
    ['/v1/records', 'notification_id'],
    ['/v1/dead-letters', 'id'],
    ['/v1/malformed-intents', 'source_entry_id'],
    ['/v1/routes', 'notification_id'],
  ])('as %s breaks ties by %s, descending', { tags: 'S000-30' }, async (path, tieBreaker) => {
    const keys = (await carillon.readAll(path)).map(item => item[tieBreaker])
    expect(keys).toEqual([...keys].sort().reverse())
  })

  it('gives 20 unless asked, at most 100', { tags: 'S002-8' }, async () => {
    for (const list of lists) {
      expect(itemsOf(await get(list, '')).length).toBeLessThanOrEqual(20)
      for (const limit of ['101', '0', '-1', '1.5', 'many', '']) {
        const { code, errors } = await get(list, `limit=${limit}`)
        expect([list, code, errors?.[0]?.field]).toEqual([list, 'invalid_request', 'limit'])
      }
    }
  })

  it.each([
    ['no cursor at all', ''],
    ['garbage', 'garbage!'],
    ['no JSON', Buffer.from('[1').toString('base64url')],
    ['no list', encodeCursor({ length: 2 } as never)],
    ['an empty list', encodeCursor([])],
    ['too many parts', encodeCursor(Array(9).fill(UUID))],
    ['numbers', encodeCursor([1, 2])],
    ['a NUL', encodeCursor(['\u0000'])],
    ['nested parts', encodeCursor([[AT], [UUID]] as never)],
  ])('refuses a cursor with %s', async (_name, cursor) => {
    for (const list of lists) {
      const query = `${list.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
      const problem = problemOf(await carillon.request('GET', list + query))
      expect([list, problem.code, problem.errors?.[0]?.field]).toEqual([list, 'invalid_cursor', 'cursor'])
    }
  })
})
