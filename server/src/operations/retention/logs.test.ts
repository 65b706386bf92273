import { expect, it } from 'vitest'
import { useAging } from './retention.fixture.ts'

const { carillon, sweep } = useAging()

it('retention deletes expired KV entries, in as many batches as it takes', async () => {
  await carillon.pool.query(
    `insert into kv_entries (tenant_id, collection, key, value_json, expires_at)
       select $1, 'c', n::text, '1', case when n > 5 then now() - interval '1 s' when n > 2 then now() + interval '1 h' end
       from generate_series(1, 2505) n`,
    [carillon.tenantId],
  )
  expect(await sweep()).toMatchObject({ kv_entries: 2500 })
  expect(await carillon.rowCounts()).toMatchObject({ kv_entries: 5 })
})

it('audit logs are kept for ever or as long as the tenant says, and nothing younger can be deleted', {
  tags: 'S002-26',
}, async () => {
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

it('runs and abandoned executions each have a retention setting', { tags: 'S003-26' }, async () => {
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

it('retention of abandoned executions works through more than one batch', { tags: 'S003-26' }, async () => {
  await carillon.pool.query(
    `insert into abandoned_executions (id, tenant_id, outbox_id, inbox_id, status_code, created_at)
       select uuid_v7(), $1, uuid_v7(), uuid_v7(), 200, now() - interval '30 days' from generate_series(1, 2500)`,
    [carillon.tenantId],
  )
  expect(await sweep()).toMatchObject({ abandoned_executions: 2500 })
})

it('retention keeps the run of an event in the outbox, as the run keeps the event from running again', async () => {
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

it('windows of limits are deleted after two days, counters of tries when they have run out', {
  tags: 'S002-25',
}, async () => {
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
