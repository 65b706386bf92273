import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { selectAudienceChunk } from './queries.ts'

const full = useFullDatabase()
const chunk = (audience_kind: string) => (db: Pool) => {
  const expansion = {
    tenant_id: full.tenantId,
    notification_id: UUID,
    cursor: 'u1',
    audience_kind,
    topic: 't1',
    traceparent: '',
    channel_count: 1,
  }
  return selectAudienceChunk(db as unknown as Client, expansion, 100)
}

describePlans(full, [
  ['a chunk of all users', 'users_pkey', chunk('tenant'), ['S000-10']],
  ['a chunk of a topic', 'watches_(pkey|reached)', chunk('topic'), ['S000-10']],
])
