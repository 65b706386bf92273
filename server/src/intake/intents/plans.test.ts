import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE } from '../../../test/plans.ts'
import { selectMalformedIntents } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  [
    'S000-30 malformed intents',
    'malformed_intents_listing',
    db => selectMalformedIntents(db, full.tenantId, PAGE),
  ],
])
