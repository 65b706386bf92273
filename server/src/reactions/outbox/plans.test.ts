import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { readingOf } from '../../../test/plans.ts'
import { claimRows } from './claim.ts'

const full = useFullDatabase()

it('a claim reads only what it takes and not the thousands that are not due, even of new targets', {
  tags: 'S003-8',
}, async () => {
  let taken = 0
  const { whole, pages } = await readingOf(full.pool, async db => {
    taken = (await claimRows(db, [], { webhook: 10 }, 20, 'me', 30)).length
  })
  expect([taken, whole]).toEqual([20, []])
  const size = await full.pool.query("select pg_relation_size('outbox') / 8192 as pages")
  expect(Number(size.rows[0].pages)).toBeGreaterThan(400)
  // A few pages of the index per target, and a few of the table per row.
  expect(pages).toBeLessThan(1_000)
})
