import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import { selectAccount, selectAccountByEmail, useLinkNumber } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  ['an account', 'accounts_pkey', db => selectAccount(db, UUID)],
  ['an account by its email', 'accounts_email_key', db => selectAccountByEmail(db, 'a7@x.io')],
  ['the use of a sign-in link', 'accounts_pkey', db => useLinkNumber(db, UUID, 1)],
])
