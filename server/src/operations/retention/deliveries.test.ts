import { expect, it } from 'vitest'
import { create } from '../../../test/calls/call.ts'
import { useAging } from './retention.fixture.ts'

const { carillon, sweep, age, sent } = useAging()

it('an old record stays while its digest is open', { tags: 'S000-31' }, async () => {
  await carillon.putType('order_shipped', { channels: ['email'], digest: { window: 3600 } })
  const id = await carillon.send()
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const [route] = await carillon.settled(id, 'skipped')
  await age('records', 90, id)
  await age('digests', 90)
  expect(await sweep()).toMatchObject({ records: 0, digests: 0 })
  await carillon.skipWaiting()
  await carillon.settled(route!.digest_id!, 'sent')
  await worker.stop()
  expect(await sweep()).toMatchObject({ records: 1, digests: 1 })
  await carillon.request('DELETE', '/v1/notification-types/order_shipped')
})

it('retention deletes throttles, recent sends and push tickets that have no effect any more', {
  tags: 'S000-31',
}, async () => {
  await carillon.pool.query(
    `insert into throttles (tenant_id, notification_type, recipient_ref, key, expires_at)
       values ($1, 't', 'r', 'over', now() - interval '1 second'), ($1, 't', 'r', 'counts', now() + interval '1 hour')`,
    [carillon.tenantId],
  )
  await carillon.pool.query(
    `insert into recent_sends (subject_id, second, used)
       values (gen_random_uuid(), now() - interval '2 hours', 1), (gen_random_uuid(), now(), 1)`,
  )
  await carillon.pool.query(
    `insert into push_tickets (tenant_id, provider_id, ticket, notification_id, route_id, device_id, next_attempt_at, created_at)
       select $1, $1, hours::text, $1, 'r', $1, now(), now() - make_interval(hours => hours) from unnest('{24,26}'::integer[]) hours`,
    [carillon.tenantId],
  )
  expect(await sweep()).toMatchObject({ throttles: 1, recent_sends: 1, push_tickets: 1 })
})

it('webhook deliveries are deleted with their record, or after the same time without one', {
  tags: 'S002-17',
}, async () => {
  const id = await sent()
  const endpoint = { url: 'https://example.com', events: ['notification.sent'] }
  const webhook = await create(carillon, '/v1/webhooks', endpoint)
  await carillon.pool.query(
    `insert into webhook_deliveries (tenant_id, id, webhook_id, notification_id, event_id, event_type, payload, attempts, created_at)
       select $1, gen_random_uuid(), $3, notification_id, gen_random_uuid(), 'x', '{}', '[]', now() - make_interval(days => days)
       from (values ($2::uuid, 89), (null, 89), (null, 91)) d (notification_id, days)`,
    [carillon.tenantId, id, webhook],
  )
  expect(await sweep()).toMatchObject({ webhook_deliveries: 1, records: 0 })
  await age('records', 90, id)
  expect(await sweep()).toMatchObject({ webhook_deliveries: 0, records: 1 })
  expect(await carillon.rowCounts()).toMatchObject({ webhook_deliveries: 1 })
  await carillon.request('DELETE', `/v1/webhooks/${webhook}`)
})

it('an inactive webhook keeps the newest 10,000 events, and those that were tried', async () => {
  await carillon.pool.query(
    `insert into notification_webhooks (tenant_id, id, url, events, secrets, is_active, keeps_events_until)
       values ($1, $1, 'https://example.com', '{notification.sent}', 'v1.x.y.z', false, now())`,
    [carillon.tenantId],
  )
  await carillon.pool.query(
    `insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, payload, attempts,
         attempt_count, created_at)
       select $1, gen_random_uuid(), $1, gen_random_uuid(), n::text, '{}', '[]', case when n > 3 then 0 else 1 end,
         now() - make_interval(secs => 20000 - n)
       from generate_series(1, 10006) n`,
    [carillon.tenantId],
  )
  expect(await sweep()).toMatchObject({ kept_events: 3, webhook_deliveries: 0 })
  const { rows } = await carillon.pool.query(
    'select event_type from webhook_deliveries order by created_at limit 4',
  )
  expect(rows.map(row => row.event_type)).toEqual(['1', '2', '3', '7'])
  await carillon.pool.query('delete from notification_webhooks')
})
