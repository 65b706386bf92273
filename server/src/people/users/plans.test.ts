import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectUsers } from './queries.ts'

const full = useFullDatabase()
const users = (filter: object) => (db: Pool) =>
  selectUsers(db, full.tenantId, { afterId: '', limit: 21, ...filter })

describePlans(full, [
  ['a user by address', 'users_email_(key|search)', users({ email: 'U7@x.io' }), ['S002-33']],
  ['a user by name', 'users_username_(key|search)', users({ username: 'name7' }), ['S002-33']],
])
