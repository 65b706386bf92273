/** The first rows of a list, read over as many pages as needed. */
import type { Page, PagePosition } from '@carillon/sdk'

const MAX_PAGE_SIZE = 100
const DEFAULT_LIMIT = 20

export async function firstRows<Row>(
  fetchPage: (position: PagePosition) => Promise<Page<Row>>,
  limit = DEFAULT_LIMIT,
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await fetchPage({ limit: Math.min(limit - rows.length, MAX_PAGE_SIZE), cursor })
    rows.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && rows.length < limit)
  return { rows, more: cursor !== undefined }
}
