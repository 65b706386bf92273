import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { lockKeysWith, selectApiKeys, useApiKey } from './queries.ts'

const full = useFullDatabase()
const keys = (filter: object) => (db: Pool) =>
  selectApiKeys(db, full.tenantId, { ...PAGE, state: 'all', ...filter })

describePlans(full, [
  ['a key by its hash', 'api_keys_key_hash_key', db => useApiKey(db, 'a'.repeat(64)), ['S002-33']],
  ['API keys', 'api_keys_listing', keys({}), ['S002-33']],
  ['keys of a user', 'api_keys_user', keys({ user_id: 'u7' }), ['S002-33']],
  ['keys of the instance', 'api_keys_instance', db => lockKeysWith(db, 'instance', full.tenantId)],
  ['keys of owners', 'api_keys_owners', db => lockKeysWith(db, 'admin', full.tenantId)],
  ['active keys', 'api_keys_active', keys({ state: 'active' }), ['S002-33']],
])
