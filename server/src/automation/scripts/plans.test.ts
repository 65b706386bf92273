import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE } from '../../../test/plans.ts'
import type { Client } from '../../platform/database/pool.ts'
import {
  deleteVersions,
  lockScript,
  selectScript,
  selectScripts,
  selectVersion,
  selectVersions,
} from './queries.ts'

const full = useFullDatabase()
/** One of those in the full database. */
const SCRIPT = '00000000-0000-0000-0000-000000000007'
const script = () => ({ tenant_id: full.tenantId, id: SCRIPT })

describePlans(full, [
  ['scripts', 'scripts_tenant_id_name_key', db => selectScripts(db, full.tenantId, PAGE)],
  [
    'the next scripts',
    'scripts_tenant_id_name_key',
    db => selectScripts(db, full.tenantId, { after: ['s5'], limit: 21 }),
  ],
  [
    'the script of a name',
    'scripts_tenant_id_name_key',
    db => selectScripts(db, full.tenantId, { name: 's7', ...PAGE }),
  ],
  ['one script', 'scripts_pkey', db => selectScript(db, full.tenantId, SCRIPT)],
  ['its current version', 'script_versions_pkey', db => selectScript(db, full.tenantId, SCRIPT)],
  [
    'a script to be changed',
    'scripts_pkey',
    db => lockScript(db as unknown as Client, full.tenantId, SCRIPT),
  ],
  ['its versions', 'script_versions_pkey', db => selectVersions(db, full.tenantId, SCRIPT, PAGE)],
  ['one version', 'script_versions_pkey', db => selectVersion(db, full.tenantId, SCRIPT, 1)],
  [
    'the oldest versions, to be deleted',
    'script_versions_pkey',
    db => deleteVersions(db as unknown as Client, script(), 1),
  ],
])
