import { SEARCH_KINDS } from '@carillon/contract'
import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { readingOf, UUID } from '../../../test/plans.ts'
import { selectFound } from './queries.ts'

const full = useFullDatabase()
const NEEDLES = [
  { text: 'u7', uuid: null, prefix: 'u7%', limit: 8 },
  { text: 's', uuid: null, prefix: 's%', limit: 8 },
  { text: UUID, uuid: UUID, prefix: `${UUID}%`, limit: 8 },
  { text: 'issue:77', uuid: null, prefix: 'issue:77%', limit: 8 },
  { text: 'key 77', uuid: null, prefix: 'key 77%', limit: 8 },
]

it.each(SEARCH_KINDS)('searching for a %s reads few pages and no table from end to end', async kind => {
  for (const needle of NEEDLES) {
    const { whole, pages } = await readingOf(full.pool, db => selectFound(db, full.tenantId, kind, needle))
    expect([needle.text, whole]).toEqual([needle.text, []])
    expect(pages).toBeLessThan(800)
  }
})
