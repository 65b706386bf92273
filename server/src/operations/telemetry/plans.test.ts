import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { scansDuring } from '../../../test/plans.ts'
import { createMetrics } from './metrics.ts'

const full = useFullDatabase()

it('/metrics reads the depth and age of the queues from what is due, and no finished routes', {
  tags: 'S000-34',
}, async () => {
  const { whole, indexes } = await scansDuring(full.pool, db => createMetrics(db).text())
  // The outbox has no finished rows, so counting its backlog may read all of it.
  // And there are only as many streams as the settings have.
  expect(whole.toSorted()).toEqual(['outbox', 'streams'])
  expect(indexes).toContain('routes_due')
  expect(indexes).toContain('domain_events_processed_waiting')
})
