import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import {
  moveCursor,
  postponeCursor,
  resetCursor,
  selectCursor,
  selectCursors,
  selectLastForgotten,
  selectStuckCursors,
  selectWaitingTenants,
} from './queries.ts'
import { emitToWebhooks } from './webhooks-queries.ts'

const full = useFullDatabase()
const tx = (db: Pool) => db as unknown as Client
const move = { from: 99_000, fromChunk: '', to: 99_001, toChunk: '' }
const failure = { lastEventId: 99_000, error: '', delayMs: 1 }
const waiting = { lastTenant: undefined, except: [UUID], limit: 100 }
const event = () => ({ tenant_id: full.tenantId, event_id: UUID, trigger_depth: 0 }) as never

describePlans(full, [
  [
    'tenants whose log a consumer has still to read',
    'domain_events_processed_waiting',
    db => selectWaitingTenants(db, 'triggers', waiting),
  ],
  ['cursors that are stuck', 'domain_events_processed_waiting', db => selectStuckCursors(db, 100)],
  ['the cursors of a tenant', 'domain_events_processed_pkey', db => selectCursors(db, full.tenantId)],
  ['the last event without records', 'domain_events_old', db => selectLastForgotten(db, full.tenantId)],
  ['one cursor', 'domain_events_processed_pkey', db => selectCursor(db, full.tenantId, 'triggers')],
  [
    'moving a cursor',
    'domain_events_processed_pkey',
    db => moveCursor(tx(db), full.tenantId, 'triggers', move),
  ],
  [
    'noting a failure',
    'domain_events_processed_pkey',
    db => postponeCursor(tx(db), full.tenantId, 'triggers', failure),
  ],
  [
    'resetting a cursor',
    'domain_events_processed_pkey',
    db => resetCursor(tx(db), full.tenantId, 'triggers', 1),
  ],
  ['telling webhooks', 'domain_events_pkey', db => emitToWebhooks(tx(db), event())],
])
