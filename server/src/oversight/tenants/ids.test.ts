import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { inhabit } from '../../../test/inhabited.ts'

const carillon = useCarillon()
beforeAll(async () => {
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
})

/** What refers to the rows whose ids are changed: by foreign key, or, like routes, by trigger. */
const REFERENCES = {
  users: ['notification_receipts.user_id', 'notifications.user_id', 'routes.user_id', 'watches.user_id'],
  api_keys: ['api_keys.limited_as', 'rate_limits.api_key_id', 'triggers.registered_by_key'],
  notifications: ['notification_email_log.notification_id', 'notification_receipts.notification_id'],
}

/** How many rows refer to something, by whether that is there. */
async function referring(table: keyof typeof REFERENCES) {
  const counts = REFERENCES[table].map(async reference => {
    const [from, column] = reference.split('.')
    const { rows } = await carillon.pool.query(
      `select count(*)::integer, p.id is not null as found from ${from} f
       left join ${table} p on p.tenant_id = f.tenant_id and p.id = f.${column}
       where f.${column} is not null group by 2`,
    )
    return [reference, rows]
  })
  return Object.fromEntries(await Promise.all(counts))
}

it.each([
  ['users', "'other-' || id"],
  ['api_keys', 'gen_random_uuid()'],
  ['notifications', 'gen_random_uuid()'],
] as const)(
  'everything follows rows of %s whose ids are changed',
  {
    tags: ['S002-9', 'S002-34'],
  },
  async (table, other) => {
    const before = [await carillon.rowCounts(), await referring(table)]
    for (const rows of Object.values(before[1]))
      expect(rows).toEqual([{ count: expect.any(Number), found: true }])
    await carillon.pool.query(`update ${table} set id = ${other}`)
    expect([await carillon.rowCounts(), await referring(table)]).toEqual(before)
  },
)

it('the id of a tenant is fixed', { tags: 'S002-34' }, async () => {
  await expect(carillon.pool.query('update tenants set id = gen_random_uuid()')).rejects.toMatchObject({
    code: '23503',
  })
})
