import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { createMetrics } from './metrics.ts'

const full = useFullDatabase()

describePlans(full, [
  ['S000-34 the depth and age of the queue', 'routes_due', db => createMetrics(db).text()],
])
