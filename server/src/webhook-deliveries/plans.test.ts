import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { readingOf, statementsOf } from '../../test/full-database.ts'
import type { Pool } from '../db/pool.ts'
import { claimRows } from '../outbox/claim.ts'
import { countLost } from '../webhook-recoveries/queries.ts'
import { selectWebhooks } from '../webhooks/queries.ts'
import { selectDeliveries, selectDeliveriesOfRecord } from './queries.ts'

const carillon = useCarillon()
const ROWS = 20_000
const UUID = '01900000-0000-7000-8000-000000000000'
const WEBHOOK = '01900000-0000-7000-8000-000000000001'
const page = { after: undefined, limit: 21 }

/** Twenty thousand deliveries of fifty endpoints, nearly all delivered, and as many rows in the outbox. */
beforeAll(async () => {
  const fill = (sql: string) => carillon.pool.query(sql.replaceAll('$tenant', `'${carillon.tenantId}'`))
  await fill(`insert into notification_webhooks (tenant_id, id, url, events, secrets)
    select $tenant, lpad(to_hex(n), 32, '0')::uuid, 'https://example.com', '{notification.sent}', 'v1.x.y.z'
    from generate_series(1, 50) n`)
  await fill(`insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, payload, attempts, delivered,
      delivered_at, created_at)
    select $tenant, gen_random_uuid(), lpad(to_hex(n % 50 + 1), 32, '0')::uuid, gen_random_uuid(), 'notification.sent', '{}',
      '[]', n % 100 <> 0, case when n % 100 <> 0 then now() end, now() - make_interval(mins => n)
    from generate_series(1, ${ROWS}) n`)
  await fill(`insert into outbox (id, tenant_id, source_kind, op, target_id, payload, next_attempt_at)
    select gen_random_uuid(), $tenant, 'webhook', 'notification.sent', lpad(to_hex(n % 50 + 1), 32, '0')::uuid, '{}',
      now() + make_interval(mins => n - ${ROWS - 100})
    from generate_series(1, ${ROWS}) n`)
  await carillon.pool.query('vacuum analyze')
})

const tenant = () => carillon.tenantId
const CASES: [string, string, (db: Pool) => Promise<unknown>][] = [
  [
    'S002-17 deliveries',
    'webhook_deliveries_listing',
    db => selectDeliveries(db, tenant(), WEBHOOK, { status: 'all', ...page }),
  ],
  [
    'S002-17 what failed',
    'webhook_deliveries_undelivered',
    db => selectDeliveries(db, tenant(), WEBHOOK, { status: 'failed', ...page }),
  ],
  [
    'S002-33 those of a webhook and a notification',
    'webhook_deliveries_(notification|listing)',
    db => selectDeliveries(db, tenant(), WEBHOOK, { status: 'all', notification_id: UUID, ...page }),
  ],
  [
    'what a record’s webhooks were told',
    'webhook_deliveries_notification',
    db => selectDeliveriesOfRecord(db, tenant(), UUID, 50),
  ],
  [
    'what can be recovered',
    'webhook_deliveries_undelivered',
    db => countLost(db, tenant(), WEBHOOK, '2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'),
  ],
  ['how many wait for each endpoint', 'outbox_due', db => selectWebhooks(db, tenant())],
]

describe(`with ${ROWS} rows`, () => {
  it.each(CASES)('%s: uses %s and reads no large table whole', async (_name, index, call) => {
    const [statement] = await statementsOf(call)
    const { rows } = await carillon.pool.query(`explain (format json) ${statement!.text}`, statement!.values)
    const { whole, indexes } = readingOf(rows[0]['QUERY PLAN'][0].Plan)
    expect(whole.filter(table => table !== 'notification_webhooks')).toEqual([])
    expect(indexes).toContainEqual(expect.stringMatching(new RegExp(`^${index}$`)))
  })

  it('S003-8 a claim reads what it takes, not the thousands that are not due, also of targets it does not know', async () => {
    const [claim] = await statementsOf(db => claimRows(db, [], { webhook: 10 }, 20, 'me', 30))
    const client = await carillon.pool.connect()
    await client.query('begin')
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) ${claim!.text}`,
      claim!.values,
    )
    await client.query('rollback')
    client.release()
    const { Plan: plan } = rows[0]['QUERY PLAN'][0]
    expect(plan['Actual Rows']).toBe(20)
    const whole = Number(
      (await carillon.pool.query("select pg_relation_size('outbox') / 8192 as pages")).rows[0].pages,
    )
    expect(whole).toBeGreaterThan(400)
    // A few pages of the index per endpoint, a few of the table per row.
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(1_000)
  })
})
