import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import { deleteSessions, selectSessions, updateChosenTenant, useSession } from './queries.ts'

const full = useFullDatabase()
const account = { account: { id: UUID }, api_key: null }
const key = () => ({ account: null, api_key: { tenant_id: full.tenantId, id: UUID } })

describePlans(full, [
  ['a session by its token', 'sessions_token_hash_key', db => useSession(db, 'a'.repeat(64))],
  ['sessions of an account', 'sessions_account', db => selectSessions(db, account)],
  ['sessions of a key', 'sessions_api_key', db => selectSessions(db, key())],
  ['the end of a session', 'sessions_(pkey|account)', db => deleteSessions(db, account, { id: UUID })],
  ['the end of all other sessions', 'sessions_account', db => deleteSessions(db, account, { except: UUID })],
  ['the choice of a tenant in a session', 'sessions_pkey', db => updateChosenTenant(db, UUID, full.tenantId)],
])
