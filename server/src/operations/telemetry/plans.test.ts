import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { readingOf } from '../../../test/plans.ts'
import { createMetrics } from './metrics.ts'

const full = useFullDatabase()

it('S000-34 the depth and age of the queues read what is due, and no finished routes', async () => {
  const { whole, indexes } = await readingOf(full.pool, db => createMetrics(db).text())
  // The outbox holds nothing but what is still to be done; counting its backlog is reading it.
  expect(whole).toEqual(['outbox'])
  expect(indexes).toContain('routes_due')
})
