import { beforeAll } from 'vitest'
import { useOwnFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { fanOut, selectPeople, selectRuled } from './queries.ts'

const full = useOwnFullDatabase()
const event = { closed: '', commented: '' }
const portion = { after: '', most: 5, visible: null, until: null, isRepeat: null }
const tell = (kind: keyof typeof event) => (db: Pool) =>
  fanOut(db as unknown as Client, full.tenantId, event[kind], portion)

beforeAll(async () => {
  await full.pool.query(`insert into topics (tenant_id, topic) values ($1, 't7') on conflict do nothing`, [
    full.tenantId,
  ])
  for (const [name, kind] of [
    ['closed', 'issue_closed'],
    ['commented', 'issue_comment_created'],
  ] as const) {
    const { rows } = await full.pool.query(
      `insert into domain_events (tenant_id, event_id, id, kind, producer, topic, relations)
       select $1, uuid_v7(), max(id) + 1, $2, 'api', 't7', '{"mention": ["u11", "u12"]}' from domain_events
       where tenant_id = $1 returning event_id`,
      [full.tenantId, kind],
    )
    event[name] = rows[0].event_id
  }
})

describePlans(full, [
  ['watchers of a topic, told in the inbox', 'watches_reached', tell('closed')],
  ['the inbox rows of watchers', 'notifications_.*', tell('closed')],
  ['the earlier records of an event', 'records_event', tell('closed')],
  ['people who are mentioned, with mail', 'users_pkey', tell('commented')],
  ['the inbox preferences of mentioned people', 'notification_preferences_pkey', tell('commented')],
  [
    'people for the visibility check',
    'watches_reached',
    db => selectPeople(db, full.tenantId, event.closed, { after: '', most: 5 }),
  ],
  [
    'the kinds of events that have rules',
    'fanout_rules_pkey',
    db => selectRuled(db, full.tenantId, [{ event_id: event.closed, kind: 'issue_closed' }]),
  ],
])
