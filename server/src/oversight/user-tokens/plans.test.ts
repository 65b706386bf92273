import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { selectHolders, selectIssue, voidTokensOfUser } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  [
    'the holder of a token',
    'users_pkey',
    db => selectHolders(db, [{ tenant_id: full.tenantId, user_id: 'u7' }]),
  ],
  ['a new token', 'users_pkey', db => selectIssue(db, full.tenantId, 'u7')],
  ['ending a person’s tokens', 'users_pkey', db => voidTokensOfUser(db, full.tenantId, 'u7')],
])
