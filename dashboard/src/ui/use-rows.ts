/** The rows of a list, page by page, as far as somebody has looked. */
import type { Page } from '@carillon/contract'
import { useInfiniteQuery } from '@tanstack/react-query'

interface Position {
  cursor?: string | undefined
  limit?: number
}

export interface Rows<Row> {
  rows: Row[] | undefined
  error: unknown
  hasMore: boolean
  isLoadingMore: boolean
  loadMore(): void
  retry(): void
  /** One page after another from the first on, for CSV. */
  fetchPage(position: Position): Promise<Page<Row>>
}

interface RowsOptions {
  /** Asked for again this often; only while nobody has loaded more than the first page. */
  refetchInterval?: number
  pageSize?: number
  enabled?: boolean
}

/** `key` names the list and everything that it is narrowed to. */
export function useRows<Row>(
  key: readonly unknown[],
  fetchPage: (position: Position, options: { signal?: AbortSignal }) => Promise<Page<Row>>,
  { refetchInterval, pageSize = 50, enabled = true }: RowsOptions = {},
): Rows<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ limit: pageSize, ...(pageParam === undefined ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      refetchInterval !== undefined && (state.data?.pages.length ?? 1) === 1 ? refetchInterval : false,
    enabled,
  })
  return {
    rows: query.data?.pages.flatMap(page => page.data),
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
    fetchPage: position => fetchPage(position, {}),
  }
}

/** A short list that has no pages. */
export const onePage = <Row>({ data }: { data: Row[] }): Page<Row> => ({ data, next_cursor: null })

/** Some of the rows of a list, or those that another answer brought along. */
export const rowsOf = <Row>(rows: Row[] | undefined, error: unknown = null): Rows<Row> => ({
  rows,
  error,
  hasMore: false,
  isLoadingMore: false,
  loadMore: () => {},
  retry: () => {},
  fetchPage: async () => onePage({ data: rows ?? [] }),
})
