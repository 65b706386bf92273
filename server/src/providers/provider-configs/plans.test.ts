import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { selectActiveProviderConfigs, selectProviderConfigs, selectSomeProviders } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  [
    'providers by name',
    'provider_configs_(name_key|search)',
    db => selectProviderConfigs(db, full.tenantId),
    ['S002-33'],
  ],
  [
    'active providers by priority',
    'provider_configs_choice',
    db => selectActiveProviderConfigs(db, full.tenantId),
    ['S002-33'],
  ],
  ['some of all providers', 'provider_configs_choice', db => selectSomeProviders(db, 50)],
])
