import { beforeEach, describe, expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { wakeRows } from '../../inbox/notifications/wake-loop.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createRetentionSweeper, type Swept, sweepRetention } from './retention.ts'

const carillon = useCarillon()
const sweep = () => sweepRetention(carillon.pool)
const exists = async (id: string) => (await carillon.request('GET', `/v1/records/${id}`)).status === 200
const of = (id: string) => `notification_id = '${id}'`
const age = (table: string, column: string, days: number, where = 'true') =>
  carillon.pool.query(
    `update ${table} set ${column} = now() - make_interval(days => $1, secs => 1) where ${where}`,
    [days],
  )

beforeEach(async () => {
  await carillon.pool.query('delete from records')
  await carillon.pool.query('delete from malformed_intents')
})

async function sent(): Promise<string> {
  const id = await carillon.send()
  await carillon.pool.query(
    "update routes set status = 'sent', sent_at = now(), next_attempt_at = null where notification_id = $1",
    [id],
  )
  return id
}

async function dead(): Promise<string> {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  const id = await carillon.send()
  await carillon.settled(id, 'dead')
  await worker.stop()
  return id
}

const letterOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters?state=all')).find(letter => letter.notification_id === id)

describe('digests and throttles', () => {
  it('S000-31 an old record stays while the digest it is part of is open', async () => {
    await carillon.putType('order_shipped', { channels: ['email'], digest: { window: 3600 } })
    const id = await carillon.send()
    const worker = carillon.deliver(() => ({ kind: 'sent' }))
    const [route] = await carillon.settled(id, 'skipped')
    await age('records', 'accepted_at', 90, of(id))
    await age('digests', 'created_at', 90)
    expect(await sweep()).toMatchObject({ records: 0, digests: 0 })
    await carillon.skipWaiting()
    await carillon.settled(route!.digest_id!, 'sent')
    await worker.stop()
    expect(await sweep()).toMatchObject({ records: 1, digests: 1 })
    await carillon.request('DELETE', '/v1/notification-types/order_shipped')
  })

  it('S000-31 deletes those that have no effect any more', async () => {
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
})

describe('webhook deliveries', () => {
  it('S002-17 are deleted with their record; those without one after the same time', async () => {
    const id = await sent()
    await carillon.pool.query(
      `insert into notification_webhooks (tenant_id, id, url, events, secrets)
       values ($1, $1, 'https://example.com', '{notification.sent}', 'v1.x.y.z')`,
      [carillon.tenantId],
    )
    await carillon.pool.query(
      `insert into webhook_deliveries (tenant_id, id, webhook_id, notification_id, event_id, event_type, payload, attempts, created_at)
       select $1, gen_random_uuid(), $1, notification_id, gen_random_uuid(), 'x', '{}', '[]', now() - make_interval(days => days)
       from (values ($2::uuid, 89), (null, 89), (null, 91)) d (notification_id, days)`,
      [carillon.tenantId, id],
    )
    expect(await sweep()).toMatchObject({ webhook_deliveries: 1, records: 0 })
    await age('records', 'accepted_at', 90, of(id))
    expect(await sweep()).toMatchObject({ webhook_deliveries: 0, records: 1 })
    expect((await carillon.pool.query('select from webhook_deliveries')).rowCount).toBe(1)
    await carillon.pool.query('delete from notification_webhooks')
  })
})

describe('events that were kept while a webhook was not active', () => {
  it('are the newest 10,000; what was tried stays', async () => {
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
})

describe('record retention', () => {
  it('S000-31 deletes finished records past their time, and routes, attempts and dead letters with them', async () => {
    const [old, young] = [await dead(), await sent()]
    await age('records', 'accepted_at', 90, of(old))
    await age('records', 'accepted_at', 89, of(young))
    expect(await sweep()).toMatchObject({ records: 1 })
    expect([await exists(old), await exists(young)]).toEqual([false, true])
    for (const table of ['routes', 'route_attempts', 'dead_letters']) {
      const left = await carillon.pool.query(`select from ${table} where notification_id = $1`, [old])
      expect([table, left.rowCount]).toEqual([table, 0])
    }
  })

  it('S000-31 keeps what is not finished: waiting, retrying, or still being expanded', async () => {
    const waiting = await carillon.send({ send_at: '2031-01-01T00:00:00Z' })
    const expanding = await carillon.send({ audience: { kind: 'tenant' } })
    await age('records', 'accepted_at', 1000)
    expect(await sweep()).toMatchObject({ records: 0 })
    expect([await exists(waiting), await exists(expanding)]).toEqual([true, true])
  })

  it('S000-31 frees the key with the record', async () => {
    const body = { ...AN_INTENT, idempotency_key: 'kept' }
    const { notification_id } = (await carillon.request('POST', '/v1/intents', { body })).body
    await carillon.request('POST', `/v1/records/${notification_id}/cancel`)
    await age('records', 'accepted_at', 90)
    await sweep()
    expect((await carillon.request('POST', '/v1/intents', { body })).status).toBe(202)
  })

  it('S000-31 follows each tenant’s own setting', async () => {
    const other = await carillon.createTenant('forgetful')
    await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 10 }, key: other.key })
    const answer = await carillon.request('POST', '/v1/intents', { body: AN_INTENT, key: other.key })
    await carillon.request('POST', `/v1/records/${answer.body.notification_id}/cancel`, { key: other.key })
    const ours = await sent()
    await age('records', 'accepted_at', 10)
    expect(await sweep()).toMatchObject({ records: 1 })
    expect(await exists(ours)).toBe(true)
  })

  it('works through more than one batch, and does not wait for a locked row', async () => {
    const held = await sent()
    await carillon.pool.query(
      `insert into records select (jsonb_populate_record(r, jsonb_build_object('notification_id', gen_random_uuid(),
         'idempotency_key', n))).* from records r, generate_series(1, 2500) n`,
    )
    await age('records', 'accepted_at', 91)
    const holder = await carillon.pool.connect()
    await holder.query('begin')
    await holder.query('select from records where notification_id = $1 for update', [held])
    expect(await sweep()).toMatchObject({ records: 2500 })
    await holder.query('rollback')
    holder.release()
    expect(await sweep()).toMatchObject({ records: 1 })
  })
})

describe('retention of malformed intents and dead letters', () => {
  it('S000-31 malformed intents have a pass and a setting of their own', async () => {
    const id = await sent()
    const malformed = (n: number) => ({ intents: [{ source_entry_id: `m${n}` }] })
    await carillon.request('POST', '/v1/intents/batch', { body: malformed(1) })
    await age('malformed_intents', 'recorded_at', 30)
    await age('records', 'accepted_at', 30)
    await carillon.request('POST', '/v1/intents/batch', { body: malformed(2) })
    expect(await sweep()).toMatchObject({ records: 0, malformed_intents: 1, dead_letters: 0 })
    const left = await carillon.readAll('/v1/malformed-intents')
    expect(left.map(row => row.source_entry_id)).toEqual(['m2'])
    expect(await exists(id)).toBe(true)
  })

  it('S002-11 S003-26 letters go at their age and leave their routes; open ones only after operators were told', async () => {
    const [open, resolved, fresh] = [await dead(), await dead(), await dead()]
    for (const id of [resolved, fresh]) {
      await carillon.request('POST', `/v1/dead-letters/${(await letterOf(id)).id}/resolve`, { body: {} })
    }
    for (const id of [open, resolved]) await age('dead_letters', 'created_at', 31, of(id))
    expect(await sweep()).toMatchObject({ records: 0, dead_letters: 1 })
    expect(await letterOf(open)).toBeDefined()
    expect(await letterOf(fresh)).toBeDefined()
    expect(await letterOf(resolved)).toBeUndefined()
    expect((await carillon.routesOf(resolved))[0]!.status).toBe('dead')
    await age('dead_letters', 'expiry_warned_at', 1, of(open))
    expect(await sweep()).toMatchObject({ records: 0, dead_letters: 1 })
    expect((await carillon.routesOf(open))[0]!.status).toBe('dead')
  })

  it('S003-26 letters go in batches until none is left, without waiting for a locked one', async () => {
    await dead()
    await carillon.request('POST', '/v1/dead-letters/replay', { body: { filter: {} } })
    await carillon.pool.query(
      `insert into dead_letters select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid()))).*
       from dead_letters d, generate_series(1, 5500) n`,
    )
    await age('dead_letters', 'created_at', 31)
    const holder = await carillon.pool.connect()
    await holder.query('begin')
    await holder.query('select from dead_letters limit 1 for update')
    expect(await sweep()).toMatchObject({ dead_letters: 5500 })
    await holder.query('rollback')
    holder.release()
    expect(await sweep()).toMatchObject({ dead_letters: 1 })
  })
})

describe('retention of KV entries', () => {
  it('deletes those that have expired, in as many batches as it takes', async () => {
    await carillon.pool.query(
      `insert into kv_entries (tenant_id, collection, key, value_json, expires_at)
       select $1, 'c', n::text, '1', case when n > 5 then now() - interval '1 s' when n > 2 then now() + interval '1 h' end
       from generate_series(1, 2505) n`,
      [carillon.tenantId],
    )
    expect(await sweep()).toMatchObject({ kv_entries: 2500 })
    expect(await carillon.rowCounts()).toMatchObject({ kv_entries: 5 })
  })
})

describe('retention of audit logs', () => {
  it('S002-26 they are kept for ever, or as long as the tenant says; nothing younger can be deleted', async () => {
    const { id, key } = await carillon.createTenant('short memory')
    const add = (tenant: string, days: number) =>
      carillon.pool.query(
        `insert into audit_logs (id, tenant_id, action, resource_type, created_at)
         values (gen_random_uuid(), $1, 'aged', 'test', now() - make_interval(days => $2, secs => 1))`,
        [tenant, days],
      )
    for (const days of [40, 30, 29]) await add(id, days)
    await add(carillon.tenantId, 4000)
    expect(await sweep()).toMatchObject({ audit_logs: 0 })
    const set = (audit_retention_days: number | null) =>
      carillon.request('PATCH', '/v1/tenant', { body: { audit_retention_days }, key })
    expect((await set(29)).status).toBe(400)
    expect((await set(30)).body.audit_retention_days).toBe(30)
    expect(await sweep()).toMatchObject({ audit_logs: 2 })
    await expect(carillon.pool.query('delete from audit_logs where tenant_id = $1', [id])).rejects.toThrow(
      'append-only',
    )
    await set(null)
    expect(await carillon.readAll('/v1/audit-logs?action=aged')).toHaveLength(1)
  })
})

describe('retention of runs and abandoned executions', () => {
  it('S003-26 each has its setting; other ages stay', async () => {
    const { id, key } = await carillon.createTenant('runs a lot')
    const body = { run_retention_days: 3, abandoned_retention_days: 2 }
    expect((await carillon.request('PATCH', '/v1/tenant', { body, key })).body).toMatchObject(body)
    for (const tenant of [id, carillon.tenantId]) {
      await carillon.pool.query(
        `insert into runs (id, tenant_id, script_id, script_name, script_version, kind, op, event_id, attempt, status,
           duration_ms, created_at)
         select uuid_v7(), $1, $1, 's', 1, 'kv', 'insert', uuid_v7(), 1, 'succeeded', 1, now() - make_interval(days => n, secs => 1)
         from generate_series(1, 9) n`,
        [tenant],
      )
      await carillon.pool.query(
        `insert into abandoned_executions (id, tenant_id, outbox_id, inbox_id, status_code, created_at)
         select uuid_v7(), $1, uuid_v7(), uuid_v7(), 200, now() - make_interval(days => n, secs => 1)
         from generate_series(1, 9) n`,
        [tenant],
      )
    }
    expect(await sweep()).toMatchObject({ runs: 7 + 3, abandoned_executions: 8 + 3 })
    expect(await carillon.readAll('/v1/runs', 10, key)).toHaveLength(2)
    expect(await carillon.readAll('/v1/abandoned-executions', 10, key)).toHaveLength(1)
    await carillon.pool.query('delete from runs; delete from abandoned_executions')
  })

  it('S003-26 works through more than one batch', async () => {
    await carillon.pool.query(
      `insert into abandoned_executions (id, tenant_id, outbox_id, inbox_id, status_code, created_at)
       select uuid_v7(), $1, uuid_v7(), uuid_v7(), 200, now() - interval '30 days' from generate_series(1, 2500)`,
      [carillon.tenantId],
    )
    expect(await sweep()).toMatchObject({ abandoned_executions: 2500 })
  })

  it('keeps the run of an event that is still in the outbox: it is what keeps it from running again', async () => {
    await carillon.pool.query(
      `with row as (select enqueue($1, 'kv', 'insert', $1, '{}') as id)
       insert into runs (id, tenant_id, script_id, script_name, script_version, kind, op, event_id, attempt, status,
         duration_ms, created_at)
       select uuid_v7(), $1, $1, 's', 1, 'kv', 'insert', row.id, 1, 'succeeded', 1, now() - interval '99 days' from row`,
      [carillon.tenantId],
    )
    expect(await sweep()).toMatchObject({ runs: 0 })
    await carillon.pool.query('delete from outbox')
    expect(await sweep()).toMatchObject({ runs: 1 })
  })
})

describe('retention of counters', () => {
  it('S002-25 windows are deleted after two days, counters of tries when they have run out', async () => {
    const { id } = await carillon.createKey({ name: 'k' })
    await carillon.pool.query(
      `insert into rate_limits (tenant_id, api_key_id, limit_type, window_start, request_count)
       select $1, $2, 'api', now() - make_interval(hours => n), 1 from generate_series(46, 50) n`,
      [carillon.tenantId, id],
    )
    await carillon.pool.query(
      `insert into limit_counters (tenant_id, key_hash, tries, expires_at)
       select $1, encode(sha256(n::text::bytea), 'hex'), 1, now() + make_interval(secs => n) from generate_series(-5, 5, 2) n`,
      [carillon.tenantId],
    )
    expect(await sweep()).toMatchObject({ rate_limits: 3, limit_counters: 3 })
    expect(await carillon.rowCounts()).toMatchObject({ rate_limits: 2, limit_counters: 3 })
  })
})

describe('the sweeper', () => {
  it('S003-26 tells operators of open letters that are about to go', async () => {
    await dead()
    await age('dead_letters', 'created_at', 28)
    let sweeps = 0
    const sweeper = createRetentionSweeper({
      pool: carillon.pool,
      wake: createWake(),
      intervalMs: 3_600_000,
      onSwept: () => void sweeps++,
      onError: () => {},
    })
    await sweeper.start()
    await expect.poll(() => sweeps).toBe(1)
    await sweeper.stop()
    const path = '/v1/system-events?event_type=dead_letters_expiring'
    expect(await carillon.readAll(path)).toMatchObject([{ details: { letters: 1 } }])
  })

  it('sweeps on start and again after its interval, reports, survives a failing round, and stops', async () => {
    const sweeps: Swept[] = []
    const errors: unknown[] = []
    const wake = createWake()
    const sweeper = createRetentionSweeper({
      pool: carillon.pool,
      wake,
      intervalMs: 3_600_000,
      onSwept: swept => void sweeps.push(swept),
      onError: error => void errors.push(error),
    })
    await sent()
    await age('records', 'accepted_at', 91)
    await sweeper.start()
    await expect.poll(() => sweeps).toMatchObject([{ records: 1 }])
    await carillon.pool.query('alter table malformed_intents rename to hidden')
    wake.call()
    await expect.poll(() => errors.length).toBe(1)
    await carillon.pool.query('alter table hidden rename to malformed_intents')
    wake.call()
    await expect.poll(() => sweeps.length).toBe(2)
    await sweeper.stop()
    await sweeper.stop()
  })
})

describe('retention of inboxes', () => {
  const add = (columns: string) =>
    carillon.pool.query(
      `insert into notifications (id, tenant_id, user_id, type, title, message, updated_at, ${columns.split('=')[0]})
       select uuid_v7(), $1, case when n = 1 then 'kept' end, 't', 'T', 'm', now() - interval '30 days', ${columns.split('=')[1]}
       from generate_series(1, 2) n`,
      [carillon.tenantId],
    )

  it('S004-6 S001-6 old rows go after the tenant’s days, hidden and expired ones a week later; saved ones stay', async () => {
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

  it('S004-6 what is snoozed stays until it has been seen again, also of what is everybody’s', async () => {
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
    for (const path of ['notifications', 'notification_receipts'])
      await carillon.pool.query(
        `update ${path} set is_read = true, read_at = now() where user_id is not null`,
      )
    expect(await sweep()).toMatchObject({ notifications: 2 })
  })

  it('S004-6 goes on until nothing old is left, in bounded batches', async () => {
    await carillon.pool.query('delete from notifications')
    await carillon.pool.query(
      `insert into notifications (id, tenant_id, user_id, type, title, message, last_event_at, updated_at)
       select uuid_v7(), $1, 'kept', 't', 'T', 'm', now() - interval '200 days', now() - interval '200 days' from generate_series(1, 2100)`,
      [carillon.tenantId],
    )
    expect(await sweep()).toMatchObject({ notifications: 2100 })
  })
})
