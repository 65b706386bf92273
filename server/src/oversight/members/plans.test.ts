import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import { lockOwners, selectMember, selectMembership, selectTenantsOf } from './queries.ts'

const full = useFullDatabase()
const LAST = { wanted: undefined, chosen: null }

describePlans(full, [
  ['a member', 'members_(pkey|account)', db => selectMember(db, full.tenantId, UUID)],
  ['the last visit of a member', 'sessions_account', db => selectMember(db, full.tenantId, UUID)],
  ['owners', 'members_owners', db => lockOwners(db, full.tenantId)],
  ['the tenant of a session', 'members_account', db => selectMembership(db, UUID, LAST)],
  ['the tenants of an account', 'members_account', db => selectTenantsOf(db, UUID)],
])
