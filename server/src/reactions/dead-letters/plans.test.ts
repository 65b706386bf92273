import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, UUID } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { countOpenDeadLetters, lockMatchingIds, selectDeadLetters, selectLettersOfRoutes } from './queries.ts'

const full = useFullDatabase()
const letters = (state: 'open' | 'resolved' | 'all') => (db: Pool) =>
  selectDeadLetters(db, full.tenantId, { filter: {}, state, ...PAGE })
const count = (db: Pool) => countOpenDeadLetters(db, full.tenantId)
const replay = (db: Pool) =>
  lockMatchingIds(db as unknown as Client, full.tenantId, { channel: 'email' }, 100)
const ofRoutes = (db: Pool) => selectLettersOfRoutes(db, full.tenantId, UUID, ['r'])

describePlans(full, [
  ['S002-33 dead letters by time', 'dead_letters_listing', letters('all')],
  ['S002-33 open dead letters', 'dead_letters_open', letters('open')],
  ['S002-33 resolved dead letters', 'dead_letters_listing', letters('resolved')],
  ['S002-33 dead letters of a notification', 'dead_letters_(route|one_open)', ofRoutes],
  ['S003-22 the count of open letters', 'dead_letters_(one_)?open', count],
  ['S002-11 the replay by filter', 'dead_letters_open', replay],
])
