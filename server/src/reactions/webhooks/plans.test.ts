/** With an endpoint for each of tens of thousands of people, an event about one of them reads only what concerns them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { fill, ROWS, useOwnFullDatabase } from '../../../test/full-database.ts'
import { itUsesIndexes, type PlanCase, readingOf } from '../../../test/plans.ts'
import { cancelRoutes } from '../../delivery/routes/cancel.ts'
import { completeRoutes } from '../../delivery/routes/complete.ts'
import { cancelRecord } from '../../intake/intents/cancel-record.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { selectEndpoints, selectWebhook, selectWebhooks } from './queries.ts'

const full = useOwnFullDatabase()
const tenant = () => full.tenantId
const INBOX_ROW = '00000000-0000-0000-0000-000000000002'
const WEBHOOK = '00000000-0000-0000-0000-000000000001'

/** A pending route of u1000. */
let subject: { tenant_id: string; notification_id: string; route_id: string }

beforeAll(async () => {
  await fill(full.pool, tenant(), [
    `insert into notification_webhooks (tenant_id, id, user_id, url, events, secrets, is_active, created_at)
     select $tenant, lpad(to_hex(n), 32, '0')::uuid, 'u' || n, 'https://example.com', '{notification.sent}', 'v1.x.y.z',
       n % 10000 > 0, now() - make_interval(mins => n) from generate_series(1, $rows) n`,
  ])
  await full.pool.query(
    `insert into notifications (id, tenant_id, user_id, record_id, route_id, type, title, message)
     values ($2, $1, 'u1000', uuid_v7(), 'r', 't', '', '')`,
    [tenant(), INBOX_ROW],
  )
  const { rows } = await full.pool.query(
    `update routes set lease_owner = 'w', lease_until = now() + interval '1 hour', claim_count = 1
     where user_id = 'u1000' returning tenant_id, notification_id, route_id`,
  )
  subject = rows[0]
  await full.pool.query('delete from route_attempts where notification_id = $1', [subject.notification_id])
  // Nobody has a phone number, so routes on sms are skipped.
  await full.pool.query("update records set channels = '{sms}' where notification_id = $1", [
    subject.notification_id,
  ])
})

const emit = (event: string) => (db: Pool) =>
  db.query('select emit_events($1)', [JSON.stringify([{ event, ...subject }])])
const complete = (db: Pool) =>
  completeRoutes(db, 'w', [
    { ...subject, claim_count: 1, started_at: new Date().toISOString(), duration_ms: 1 } as never,
  ])

const accept = (db: Pool) =>
  db.query('select * from accept_intents($1)', [
    JSON.stringify([
      {
        ord: 0,
        tenant_id: tenant(),
        notification_id: '01900000-0000-7000-8000-000000000000',
        notification_type: 'plain',
        producer: 'p',
        audience: { kind: 'users', user_ids: ['u1000'] },
        channels: ['email', 'sms'],
        payload_json: '{}',
        source: 'http',
      },
    ]),
  ])
const expand = (db: Pool) =>
  db.query('select create_routes($1, $2, $3)', [tenant(), subject.notification_id, ['u1000', 'u2000']])
const cancel = (db: Pool) => cancelRecord(db as unknown as Client, tenant(), subject.notification_id, true)
const cancelEach = (db: Pool) => cancelRoutes(db as unknown as Client, tenant(), subject.notification_id)
const read = (db: Pool) =>
  db.query(`update notifications set is_read = true, read_at = now() where tenant_id = $1 and id = $2`, [
    tenant(),
    INBOX_ROW,
  ])

const list = (filter: object) => (db: Pool) =>
  selectWebhooks(db, tenant(), { state: 'all', after: undefined, limit: 21, ...filter })

const CASES: PlanCase[] = [
  ['endpoints of a user', 'notification_webhooks_(user|active)', list({ user_id: 'u7' }), ['S002-33']],
  [
    'active endpoints of a user',
    'notification_webhooks_(active|user)',
    list({ user_id: 'u8', state: 'active' }),
    ['S002-33'],
  ],
  ['active endpoints', 'notification_webhooks_listing', list({ state: 'active' }), ['S002-33']],
  ['inactive endpoints', 'notification_webhooks_inactive', list({ state: 'inactive' }), ['S002-33']],
  ['endpoints', 'notification_webhooks_listing', list({})],
  [
    'the next page of endpoints',
    'notification_webhooks_listing',
    list({ after: ['2026-01-01T00:00:00Z', WEBHOOK] }),
  ],
  [
    'the active endpoints of a person',
    'notification_webhooks_active',
    emit('notification.sent'),
    ['S002-33', 'S002-14'],
  ],
  [
    'an event that nobody subscribes to',
    'notification_webhooks_active',
    emit('notification.read'),
    ['S002-33'],
  ],
  ['events of accepting', 'notification_webhooks_active', accept],
  ['events of expanding', 'notification_webhooks_active', expand],
  ['events of cancelling a record', 'notification_webhooks_active', cancel],
  ['events of cancelling routes', 'notification_webhooks_active', cancelEach],
  ['events of reading', 'notification_webhooks_active', read],
  ['events of completing a route', 'notification_webhooks_active', complete],
  ['one endpoint', 'notification_webhooks_pkey', db => selectWebhook(db, tenant(), WEBHOOK)],
  [
    'endpoints to send to',
    'notification_webhooks_pkey',
    db => selectEndpoints(db, [{ tenantId: tenant(), id: WEBHOOK }]),
  ],
]

describe(`with ${ROWS} endpoints`, () => {
  itUsesIndexes(full, CASES)

  it('events that wait for each endpoint are counted with the index alone', async () => {
    const { whole, indexes } = await readingOf(full.pool, db =>
      selectWebhooks(db, tenant(), { state: 'all', after: undefined, limit: 21 }),
    )
    expect(whole).toEqual([])
    expect(indexes).toContain('outbox_due')
  })

  it('the person’s own endpoint gets the event', { tags: 'S002-14' }, async () => {
    const client = await full.pool.connect()
    await client.query('begin')
    await emit('notification.sent')(client as unknown as Pool)
    const { rows } = await client.query(
      'select w.user_id from outbox o join notification_webhooks w on w.id = o.target_id',
    )
    await client.query('rollback')
    client.release()
    expect(rows).toEqual([{ user_id: 'u1000' }])
  })
})
