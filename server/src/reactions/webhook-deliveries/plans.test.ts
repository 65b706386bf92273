import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fill, ROWS } from '../../../test/full-database.ts'
import { expectIndex, type PlanCase, readingOf, statementsOf } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { claimRows } from '../outbox/claim.ts'
import { countLost } from '../webhook-recoveries/queries.ts'
import { selectWebhooks } from '../webhooks/queries.ts'
import { selectDeliveries, selectDeliveriesOfRecord } from './queries.ts'

const carillon = useCarillon()
const UUID = '01900000-0000-7000-8000-000000000000'
const WEBHOOK = '00000000-0000-0000-0000-000000000001'
const page = { after: undefined, limit: 21 }

/** The deliveries of fifty endpoints, nearly all arrived, and as many rows in the outbox. */
beforeAll(() =>
  fill(carillon.pool, carillon.tenantId, [
    `insert into notification_webhooks (tenant_id, id, url, events, secrets)
     select $tenant, lpad(to_hex(n), 32, '0')::uuid, 'https://example.com', '{notification.sent}', 'v1.x.y.z'
     from generate_series(1, 50) n`,
    `insert into webhook_deliveries (tenant_id, id, webhook_id, notification_id, event_id, event_type, payload, attempts,
       delivered, delivered_at, next_retry_at, created_at)
     select $tenant, gen_random_uuid(), lpad(to_hex(n % 50 + 1), 32, '0')::uuid, gen_random_uuid(), gen_random_uuid(),
       'notification.sent', '{}', '[]', n % 101 <> 0, case when n % 101 <> 0 then now() end,
       case n % 1010 when 0 then now() + interval '1 minute' end, now() - make_interval(mins => n)
     from generate_series(1, $rows) n`,
    `insert into outbox (id, tenant_id, source_kind, op, target_id, payload, next_attempt_at)
     select gen_random_uuid(), $tenant, 'webhook', 'notification.sent', lpad(to_hex(n % 50 + 1), 32, '0')::uuid, '{}',
       now() + make_interval(mins => n - $rows + 100)
     from generate_series(1, $rows) n`,
  ]),
)

const tenant = () => carillon.tenantId
const deliveries = (filter: object) => (db: Pool) =>
  selectDeliveries(db, tenant(), WEBHOOK, { status: 'all', ...filter, ...page })
const CASES: PlanCase[] = [
  ['S002-17 deliveries', 'webhook_deliveries_listing', deliveries({})],
  [
    'S002-33 those of a webhook and a notification',
    'webhook_deliveries_notification',
    deliveries({ notification_id: UUID }),
  ],
  ['S002-33 delivered', 'webhook_deliveries_listing', deliveries({ status: 'delivered' })],
  ['S002-33 what failed', 'webhook_deliveries_undelivered', deliveries({ status: 'failed' })],
  [
    'S002-33 what is tried again',
    'webhook_deliveries_(next_retry|undelivered)',
    deliveries({ status: 'retrying' }),
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
]

describe(`with ${ROWS} rows`, () => {
  it.each(CASES)('%s: uses %s and reads few pages', (_name, index, call) =>
    expectIndex(carillon.pool, index, call),
  )

  it('how many wait for each endpoint is counted by the index alone', async () => {
    const { whole, indexes } = await readingOf(carillon.pool, db =>
      selectWebhooks(db, tenant(), { state: 'all', ...page }),
    )
    expect(whole).toEqual([])
    expect(indexes).toContain('outbox_due')
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
