import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, NEXT_PAGE, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { hasSucceeded, selectRun, selectRuns } from './queries.ts'

const full = useFullDatabase()
const runs = (filter: object) => (db: Pool) => selectRuns(db, full.tenantId, { ...PAGE, ...filter })
/** As the rows of a full database name them. */
const nth = (n: number, letter: string) =>
  n
    .toString(16)
    .padStart(32, letter)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

describePlans(full, [
  ['runs', 'runs_listing', runs({})],
  ['the next page of runs', 'runs_listing', runs(NEXT_PAGE)],
  ['runs of a script', 'runs_script', runs({ script_id: nth(7, 'a') })],
  ['the next page of runs of a script', 'runs_script', runs({ ...NEXT_PAGE, script_id: nth(7, 'a') })],
  ['runs of a trigger', 'runs_trigger', runs({ trigger_id: nth(7, 'b') })],
  ['the attempts at an event', 'runs_event', runs({ event_id: UUID })],
  ['runs that failed', 'runs_listing', runs({ status: 'failed' })],
  ['runs of a kind', 'runs_listing', runs({ kind: 'invoke' })],
  ['one run', 'runs_pkey', db => selectRun(db, full.tenantId, UUID)],
  ['whether an event has run', 'runs_(once|event)', db => hasSucceeded(db, full.tenantId, UUID), ['S003-8']],
])
