import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import { deleteInvitation, selectByToken, selectInviter, takeByToken } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  ['an invitation by its token', 'invitations_token_hash_key', db => selectByToken(db, 'a'.repeat(64))],
  ['the acceptance of an invitation', 'invitations_token_hash_key', db => takeByToken(db, 'a'.repeat(64))],
  ['the inviter of an invitation', 'api_keys_pkey', db => selectInviter(db, full.tenantId, UUID)],
  ['the end of an invitation', 'invitations_pkey', db => deleteInvitation(db, full.tenantId, UUID)],
])
