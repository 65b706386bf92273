/** Lists: one page at a time, or every row of every page. */
import type { Page } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

const MAX_PAGE_SIZE = 100

export interface PagePosition {
  limit?: number
  cursor?: string | undefined
}

export interface PagedList<Row, Query extends PagePosition> {
  /** One page, newest first. */
  list(query?: Partial<Query>, options?: CallOptions): Promise<Page<Row>>
  /** Every row from the query's cursor on; pages are fetched as the loop needs them. */
  all(query?: Partial<Query>, options?: CallOptions): AsyncGenerator<Row, void, undefined>
}

export function pagedList<Row, Query extends PagePosition>(send: Send, path: string): PagedList<Row, Query> {
  const list = (query: Partial<Query> = {}, options?: CallOptions) =>
    send<Page<Row>>({ method: 'GET', path, query, ...options })
  return {
    list,
    all: (query, options) => everyRow(page => list({ ...query, ...page } as Partial<Query>, options), query),
  }
}

export interface WholeList<Row> {
  /** The whole list, which is short and has no pages. */
  list(options?: CallOptions): Promise<{ data: Row[] }>
  all(options?: CallOptions): AsyncGenerator<Row, void, undefined>
}

export function wholeList<Row>(send: Send, path: string): WholeList<Row> {
  const list = (options?: CallOptions) => send<{ data: Row[] }>({ method: 'GET', path, ...options })
  return {
    list,
    async *all(options) {
      yield* (await list(options)).data
    },
  }
}

export async function* everyRow<Row>(
  fetchPage: (position: PagePosition) => Promise<Page<Row>>,
  { limit = MAX_PAGE_SIZE, cursor }: PagePosition = {},
): AsyncGenerator<Row, void, undefined> {
  let position: PagePosition | undefined = cursor === undefined ? { limit } : { limit, cursor }
  while (position !== undefined) {
    const page: Page<Row> = await fetchPage(position)
    yield* page.data
    position = page.next_cursor ? { limit, cursor: page.next_cursor } : undefined
  }
}
