import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import {
  removeEntry,
  selectCollections,
  selectEntries,
  selectEntry,
  selectVersions,
  writeEntry,
} from './queries.ts'

const full = useFullDatabase()
const entry = { collection: 'c7', key: 'k701' }
const cause = { depth: 0, origin: '' }
const asClient = (db: Pool) => db as unknown as Client
const page = { prefix: '', afterKey: '', limit: 21 }
const written = { ...entry, value_json: '1', ttl_seconds: 60 }

describePlans(full, [
  ['one entry', 'kv_entries_pkey', db => selectEntry(db, full.tenantId, entry)],
  ['entries', 'kv_entries_pkey', db => selectEntries(db, full.tenantId, 'c7', page)],
  [
    'more entries',
    'kv_entries_pkey',
    db => selectEntries(db, full.tenantId, 'c7', { ...page, afterKey: 'k711' }),
  ],
  [
    'entries by a prefix that none has',
    'kv_entries_pkey',
    db => selectEntries(db, full.tenantId, 'large', { ...page, prefix: 'a' }),
  ],
  [
    'collections',
    'kv_entries_pkey',
    db => selectCollections(db, full.tenantId, { after: '', limit: 21, counted: 100 }),
  ],
  [
    'versions',
    'kv_entries_pkey',
    db => selectVersions(db, full.tenantId, [entry, { ...entry, key: 'none' }]),
  ],
  ['writing an entry', 'kv_entries_pkey', db => writeEntry(asClient(db), full.tenantId, written, cause)],
  ['deleting an entry', 'kv_entries_pkey', db => removeEntry(asClient(db), full.tenantId, entry, cause)],
])
