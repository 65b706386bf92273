import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { countRequests, countTry } from './queries.ts'

const full = useFullDatabase()
const known = { used: 0, ms: 0 }

const requestsOf = (user_id: string | null) => async (db: Pool) => {
  const { rows } = await full.pool.query('select id from api_keys limit 1')
  const caller = { tenant_id: full.tenantId, api_key_id: rows[0].id, user_id }
  return countRequests(
    db,
    [{ caller, limit_type: 'api', window_seconds: 60, limit: 9, wanted: 1, known }],
    null,
  )
}
const tries = (db: Pool) => {
  const asked = { tenant_id: full.tenantId, key_hash: 'a'.repeat(64), limit: 5, window_seconds: 60, known }
  return countTry(db, asked, null)
}

describePlans(full, [
  ['the count of a user', 'rate_limits_key', requestsOf('u7'), ['S002-33', 'S002-25']],
  ['the count of a key', 'rate_limits_(api_)?key', requestsOf(null), ['S002-33', 'S002-25']],
  ['the tries of a key', 'limit_counters_pkey', tries],
])
