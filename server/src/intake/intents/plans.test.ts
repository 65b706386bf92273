import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE } from '../../../test/plans.ts'
import { selectMalformedEntries, selectMalformedIntents } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  [
    'malformed intents',
    'malformed_intents_listing',
    db => selectMalformedIntents(db, full.tenantId, PAGE),
    ['S000-30'],
  ],
  [
    'entries of a stream that were kept before',
    'malformed_intents_pkey',
    db => selectMalformedEntries(db, full.tenantId, 'redis/a/b', [{ id: '1-1', producer: 'p' }]),
    ['S000-28'],
  ],
])
