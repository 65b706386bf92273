import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { selectTranslations, selectTranslationTimes } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  [
    'one language of a tenant',
    'translations_pkey',
    db => selectTranslations(db, full.tenantId, ['x1', 'x2']),
  ],
  ['the languages of a tenant', 'translations_pkey', db => selectTranslationTimes(db, full.tenantId)],
])
