/** The first rows of a list, over as many pages as that takes. */
import type { Page, PagePosition } from '@carillon/sdk'

const LARGEST_PAGE = 100
const USUAL_LIMIT = 20

export async function firstRows<Row>(
  fetchPage: (position: PagePosition) => Promise<Page<Row>>,
  limit = USUAL_LIMIT,
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await fetchPage({ limit: Math.min(limit - rows.length, LARGEST_PAGE), cursor })
    rows.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && rows.length < limit)
  return { rows, more: cursor !== undefined }
}
