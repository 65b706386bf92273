import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { inhabit } from '../../../test/inhabited.ts'

const carillon = useCarillon()

it('everything follows a tenant whose id is changed, also what refers to keys and inbox rows', {
  tags: 'S002-34',
}, async () => {
  await inhabit(carillon)
  await carillon.pool.query(`
    update api_keys set limited_as = first.id from (select id from api_keys limit 1) first where api_keys.id <> first.id;
    insert into rate_limits (tenant_id, api_key_id, limit_type, window_start, request_count)
      select tenant_id, id, 'api', now(), 1 from api_keys;
    update notification_email_log l set notification_id = n.id from notifications n where n.user_id = l.user_id;
    insert into notifications (id, tenant_id, type, title, message)
      select gen_random_uuid(), id, 't', 't', 'm' from tenants;
    insert into notification_receipts (tenant_id, user_id, notification_id)
      select u.tenant_id, u.id, n.id from users u, notifications n where n.user_id is null`)
  const before = await carillon.rowCounts()
  await carillon.pool.query('update tenants set id = gen_random_uuid()')
  expect(await carillon.rowCounts()).toEqual(before)
  for (const table of ['rate_limits', 'triggers', 'notification_email_log', 'notification_receipts']) {
    const { rows } = await carillon.pool.query(
      `select count(*)::integer as all, count(*) filter (where tenant_id = (select id from tenants))::integer as moved
       from ${table}`,
    )
    expect([table, rows[0].moved > 0, rows[0].moved]).toEqual([table, true, rows[0].all])
  }
})
