import { describe, expect, it } from 'vitest'
import { wakeRows } from '../../inbox/notifications/wake-loop.ts'
import { useAging } from './retention.fixture.ts'

const { carillon, sweep } = useAging()

describe('retention of inboxes', () => {
  const add = (columns: string) =>
    carillon.pool.query(
      `insert into notifications (id, tenant_id, user_id, type, title, message, updated_at, ${columns.split('=')[0]})
       select uuid_v7(), $1, case when n = 1 then 'kept' end, 't', 'T', 'm', now() - interval '30 days', ${columns.split('=')[1]}
       from generate_series(1, 2) n`,
      [carillon.tenantId],
    )

  it('old inbox rows are deleted after the tenant’s days, hidden and expired ones a week later; saved ones stay', {
    tags: ['S004-6', 'S001-6'],
  }, async () => {
    await carillon.putUser('kept')
    await carillon.pool.query('delete from notifications')
    await add("last_event_at=now() - interval '181 days'")
    await add("last_event_at=now() - interval '179 days'")
    await add("deleted_at=now() - interval '8 days'")
    await add("deleted_at=now() - interval '6 days'")
    await add("last_event_at, saved_at=now() - interval '181 days', now()")
    expect(await sweep()).toMatchObject({ notifications: 2, gone_notifications: 2 })
    const { rows } = await carillon.pool.query(
      'select id from notifications where user_id is null and saved_at is null',
    )
    await carillon.pool.query(
      `insert into notification_receipts (tenant_id, notification_id, user_id, saved_at)
       select $1, id, 'kept', now() from unnest($2::uuid[]) id`,
      [carillon.tenantId, rows.map(({ id }) => id)],
    )
    await carillon.request('PATCH', '/v1/tenant', { body: { inbox_retention_days: 100 } })
    expect(await sweep()).toMatchObject({ notifications: 1, gone_notifications: 0 })
    const week =
      "update notifications set deleted_at = deleted_at - interval '7 days' where deleted_at is not null"
    await carillon.pool.query(week)
    expect(await sweep()).toMatchObject({ notifications: 0, gone_notifications: 2 + 2 + 1 })
  })

  it('a snoozed inbox row stays until it has been seen again, also one for the whole tenant', {
    tags: 'S004-6',
  }, async () => {
    await carillon.pool.query('delete from notifications')
    await add(
      "last_event_at, snoozed_until=now() - interval '400 days', case n when 1 then now() + interval '1 day' end",
    )
    await carillon.pool.query(
      `insert into notification_receipts (tenant_id, notification_id, user_id, snoozed_until)
       select tenant_id, id, 'kept', now() + interval '1 day' from notifications where user_id is null`,
    )
    expect(await sweep()).toMatchObject({ notifications: 0 })
    for (const table of ['notifications', 'notification_receipts'])
      await carillon.pool.query(`update ${table} set snoozed_until = now() where snoozed_until is not null`)
    await wakeRows(carillon.pool)
    expect(await sweep()).toMatchObject({ notifications: 0 })
    expect(await carillon.readAll('/v1/inbox?user_id=kept')).toHaveLength(2)
    expect((await carillon.request('POST', '/v1/inbox/read-all?user_id=kept', { body: {} })).status).toBe(200)
    expect(await sweep()).toMatchObject({ notifications: 2 })
  })

  it('retention of inboxes goes on until nothing old is left', { tags: 'S004-6' }, async () => {
    await carillon.pool.query('delete from notifications')
    await carillon.pool.query(
      `insert into notifications (id, tenant_id, user_id, type, title, message, last_event_at, updated_at)
       select uuid_v7(), $1, 'kept', 't', 'T', 'm', now() - interval '200 days', now() - interval '200 days' from generate_series(1, 2100)`,
      [carillon.tenantId],
    )
    expect(await sweep()).toMatchObject({ notifications: 2100 })
  })
})
