import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectMalformedEntries, selectMalformedIntents } from './queries.ts'

const full = useFullDatabase()

const accept = (db: Pool) =>
  db.query('select * from accept_intents($1)', [
    JSON.stringify([
      {
        ord: 0,
        tenant_id: full.tenantId,
        notification_id: UUID,
        notification_type: 'plain',
        producer: 'p',
        audience: { kind: 'users', user_ids: ['u1000'] },
        payload_json: '{}',
        source: 'http',
      },
    ]),
  ])

describePlans(full, [
  ['an accepted intent', 'tenant_settings_pkey', accept],
  ['how long its key is valid', 'tenant_retention_pkey', accept],
  [
    'malformed intents',
    'malformed_intents_listing',
    db => selectMalformedIntents(db, full.tenantId, PAGE),
    ['S000-30'],
  ],
  [
    'entries of a stream that were kept before',
    'malformed_intents_pkey',
    db => selectMalformedEntries(db, full.tenantId, 'redis/a/b', [{ id: '1-1', producer: 'p' }]),
    ['S000-28'],
  ],
])
