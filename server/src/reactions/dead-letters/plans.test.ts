import { expect, it } from 'vitest'
import { BUSY_WEBHOOK, useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, readingOf, UUID } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { markExpiring, selectExpiring } from './expiry.ts'
import {
  countOpenDeadLetters,
  lockMatchingIds,
  resolveMatchingRows,
  selectDeadLetters,
  selectLetterGroups,
  selectLettersOfEvent,
  selectLettersOfRoutes,
} from './queries.ts'

const full = useFullDatabase()
const letters =
  (state: 'open' | 'resolved' | 'all', filter = {}) =>
  (db: Pool) =>
    selectDeadLetters(db, full.tenantId, { filter, state, ...PAGE })
const count =
  (filter = {}) =>
  (db: Pool) =>
    countOpenDeadLetters(db, full.tenantId, filter)
const replay =
  (filter = {}) =>
  (db: Pool) =>
    lockMatchingIds(db as unknown as Client, full.tenantId, filter, 100)
const resolveAll = (db: Pool) =>
  resolveMatchingRows(
    db as unknown as Client,
    full.tenantId,
    { channel: 'email' },
    { limit: 10, resolution: 'ignored', by: null },
  )
const groups = (db: Pool) => selectLetterGroups(db, full.tenantId, { filter: {}, state: 'open', limit: 100 })
const ofRoutes = (db: Pool) => selectLettersOfRoutes(db, full.tenantId, UUID, ['r'])
const ofEvent = (db: Pool) => selectLettersOfEvent(db, full.tenantId, UUID)
const markFailed = (db: Pool) =>
  db.query('select handler_failed($1)', [JSON.stringify([{ tenant_id: full.tenantId, id: UUID }])])
const mark = (db: Pool) => markExpiring(db as unknown as Client, 5000)
const expiring = (db: Pool) => selectExpiring(db as unknown as Client, full.tenantId)

const [source, trigger, script] = [
  { source: 's1' },
  { trigger_id: BUSY_WEBHOOK },
  { script_id: BUSY_WEBHOOK },
]

describePlans(full, [
  ['dead letters by time', 'dead_letters_listing', letters('all'), ['S002-33']],
  ['letters about one thing to do', 'dead_letters_event', ofEvent],
  ['open dead letters', 'dead_letters_open', letters('open'), ['S002-33']],
  ['resolved dead letters', 'dead_letters_listing', letters('resolved'), ['S002-33']],
  ['dead letters of a notification', 'dead_letters_(route|one_open)', ofRoutes, ['S002-33']],
  ['the count of open letters', 'dead_letters_(one_)?open', count(), ['S003-22', 'S003-28']],
  ['the replay by filter', 'dead_letters_open', replay({ channel: 'email' }), ['S002-11']],
  ['letters of a source', 'dead_letters_source', letters('all', source), ['S003-23', 'S003-28']],
  ['letters of a trigger', 'dead_letters_trigger', letters('all', trigger), ['S003-23', 'S003-28']],
  ['letters of a script', 'dead_letters_script', letters('all', script), ['S003-23', 'S003-28']],
  ['the count of a trigger', 'dead_letters_(trigger|open)', count(trigger), ['S003-23', 'S003-28']],
  ['the replay of a trigger', 'dead_letters_(trigger|open)', replay(trigger), ['S003-23', 'S003-28']],
  ['letters of a recipient', 'dead_letters_recipient', letters('all', { recipient_ref: 'user:u7' })],
  ['letters of a record', 'dead_letters_route', letters('all', { notification_id: UUID })],
  ['closing letters by filter', 'dead_letters_open', resolveAll],
  ['the letter of a handler that failed', 'dead_letters_pkey', markFailed, ['S003-20', 'S003-28']],
])

it.each([
  ['are found', mark],
  ['are counted', expiring],
])(
  'letters that are about to go %s by the index of open ones',
  { tags: ['S003-26', 'S003-28'] },
  async (_what, call) => {
    const { whole, indexes } = await readingOf(full.pool, call)
    // every tenant has its own retention time
    expect(whole.filter(table => table !== 'tenant_retention')).toEqual([])
    expect(indexes).toContain('dead_letters_open')
  },
)

it('groups of open letters read only those, and find each sample by its time', async () => {
  const { whole, indexes } = await readingOf(full.pool, groups)
  expect(whole).toEqual([])
  expect(indexes).toContainEqual(expect.stringMatching(/^dead_letters_(one_)?open$/))
})

it('500 letters of tenants without handlers ask for handlers once per tenant', {
  tags: ['S003-19', 'S003-28'],
}, async () => {
  const letter = {
    source_kind: 'outbox',
    final_attempt_count: 1,
    max_attempts: 1,
    failure_reason: 'permanent_failure',
    failure_classification: 'permanent',
    failure_message: '',
    recovery_hint: '',
    source: 'webhook',
    target_id: UUID,
    payload: '{}',
    dispatch: {},
  }
  const client = await full.pool.connect()
  const lookups = async () => {
    const { rows } = await client.query(
      `select pg_stat_get_xact_numscans(c.oid)::integer as scans, sum(pg_stat_get_xact_numscans(i.indexrelid))::integer as lookups
       from pg_class c join pg_index i on i.indrelid = c.oid where c.oid = 'triggers'::regclass group by c.oid`,
    )
    return rows[0]
  }
  try {
    await client.query('begin read write')
    const { rows: tenants } = await client.query('select id from tenants limit 2')
    const batch = Array.from({ length: 500 }, (_, n) => ({ ...letter, tenant_id: tenants[n % 2].id }))
    const before = await lookups()
    const { rows } = await client.query(
      `select open_dead_letters((select jsonb_agg(l || jsonb_build_object('original_event_id', gen_random_uuid()))
         from jsonb_array_elements($1::jsonb) l)) as handlers`,
      [JSON.stringify(batch)],
    )
    expect(rows[0].handlers).toBe(0)
    expect(await lookups()).toEqual({ ...before, lookups: before.lookups + 2 })
  } finally {
    await client.query('rollback')
    client.release()
  }
})
