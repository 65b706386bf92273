import { createHash } from 'node:crypto'
import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { storeDeviceRefusals } from '../callbacks/queries.ts'
import { claimTickets, deleteTickets, postponeTickets, selectDueGroups } from './queries.ts'

const full = useFullDatabase()
const group = () => ({ tenant_id: full.tenantId, provider_id: uuidOf('3') })
const uuidOf = (text: string) => createHash('md5').update(text).digest('hex')
const ticket = { ticket: '3', notification_id: UUID, route_id: 'r', device_id: UUID, claim_count: 0 }
const claimed = { ...ticket, created_at: new Date() }

describePlans(full, [
  ['finding due tickets', 'push_tickets_(due|pkey)', db => selectDueGroups(db, 4)],
  ['claiming tickets', 'push_tickets_due', db => claimTickets(db, group(), 100)],
  ['settling tickets', 'push_tickets_pkey', db => deleteTickets(db, group(), [claimed])],
  [
    'postponing tickets',
    'push_tickets_pkey',
    db => postponeTickets(db, group(), [{ ...ticket, delaySeconds: 60 }]),
  ],
  [
    'the routes of refused devices',
    'routes_pkey',
    (db: Pool) => storeDeviceRefusals(db, full.tenantId, UUID, [{ ...ticket, detail: '' }]),
  ],
])
