import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createKeyring } from '../../platform/secrets/keyring.ts'
import { unseal } from '../../platform/secrets/sealed-rows.ts'
import { carried, contentOf, expectSame } from './content.fixture.ts'
import { createInstance, useMoving } from './moving.fixture.ts'
import { LEFT_OUT, readTables } from './tables.ts'

const moving = useMoving()
const { source, targetKey, file, passphrase, exportTo, importFrom, runAt } = moving

it('every table is exported or left out for a reason', async () => {
  const { rows } = await source.pool.query(
    `select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind in ('r', 'p')
       and not relispartition`,
  )
  const exported = (await readTables(source.pool)).map(({ name }) => name)
  expect(exported[0]).toBe('tenants')
  expect([...exported, ...Object.keys(LEFT_OUT)].toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

it('an exported tenant arrives as it was, byte for byte, and nothing is told again', {
  tags: 'S000-32',
}, async () => {
  const before = await contentOf(source.pool, source.tenantId)
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
  const written = await exportTo('all.ndjson.gz', ...passphrase())
  expect([written.code, written.stderr]).toEqual([0, expect.stringContaining('is not suspended')])
  const read = await importFrom('all.ndjson.gz', ...passphrase())
  expect([read.code, read.stderr]).toEqual([0, ''])
  expect(read.stdout).toContain(`carillon tenants resume ${source.tenantId}`)
  expectSame(await contentOf(moving.target.pool, source.tenantId), carried(before))
})

it('an imported tenant has its archive in the months of its records', { tags: 'S002-29' }, async () => {
  const { rows } = await moving.target.pool.query(
    'select distinct tableoid::regclass::text as part from records_archive where tenant_id = $1',
    [source.tenantId],
  )
  expect(rows).toEqual([{ part: 'records_archive_2024_08' }])
})

it('an imported tenant is suspended, and younger than the tenants that were there', async () => {
  const { rows } = await moving.target.pool.query(
    `select suspended_at is not null as is_suspended, delete_at, created_at > now() - interval '10 minutes' as is_new
       from tenants where id = $1`,
    [source.tenantId],
  )
  expect(rows).toEqual([{ is_suspended: true, delete_at: null, is_new: true }])
})

it('an imported tenant has its secrets under the master key of its new instance', {
  tags: 'S002-30',
}, async () => {
  const keyring = createKeyring([targetKey])
  for (const table of ['provider_configs', 'notification_webhooks', 'visibility_checks'] as const) {
    const select = `select tenant_id, id, secrets from ${table} where tenant_id = $1 order by id`
    const there = await moving.target.pool.query(select, [source.tenantId])
    const here = await source.pool.query(select, [source.tenantId])
    expect(there.rows.map(row => unseal(keyring, table, row))).toEqual(
      here.rows.map(row => unseal(source.providers.keyring, table, row)),
    )
    expect(there.rows).not.toEqual([])
  }
})

it('an imported tenant goes on counting versions and places in the log and in the outbox', async () => {
  const { rows } = await moving.target.pool.query(
    `select nextval('kv_versions')::text as version,
         nextval('domain_events_seq') > (select max(seq) from domain_events) as event,
         nextval(pg_get_serial_sequence('outbox', 'seq')) > (select max(seq) from outbox) as outbox`,
  )
  expect(rows).toEqual([{ version: '9007199254740994', event: true, outbox: true }])
  const head = 'select max(id)::integer as head from domain_events where tenant_id = $1'
  const before = (await moving.target.pool.query(head, [source.tenantId])).rows[0].head
  await moving.target.pool.query('update tenants set suspended_at = null where id = $1', [source.tenantId])
  await moving.target.pool.query(
    `select emit_event(jsonb_build_object('kind', 'moved', 'tenant', (select name from tenants where id = $1)))`,
    [source.tenantId],
  )
  await moving.target.pool.query('select order_events($1, 100)', [source.tenantId])
  expect((await moving.target.pool.query(head, [source.tenantId])).rows[0].head).toBe(before + 1)
  const { rows: cursors } = await moving.target.pool.query(
    'select distinct head_id::integer as head from domain_events_processed where tenant_id = $1',
    [source.tenantId],
  )
  expect(cursors).toEqual([{ head: before + 1 }])
  await moving.target.pool.query("delete from domain_events where kind = 'moved'")
})

it('the audit logs of both instances say that a tenant was exported and imported', async () => {
  const select =
    "select action from audit_logs where resource_type = 'tenant' and action in ('export', 'import')"
  expect((await source.pool.query(select)).rows).toEqual([{ action: 'export' }])
  expect((await moving.target.pool.query(select)).rows).toEqual([{ action: 'import' }])
})

it('an import is refused where the tenant is already, under any name', async () => {
  expect(await importFrom('all.ndjson.gz', ...passphrase())).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The tenant default \(.*\) is here already/),
  })
  expect(await importFrom('all.ndjson.gz', ...passphrase(), '--as', 'default')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another tenant has the name default already. Choose another one'),
  })
  expect(await importFrom('all.ndjson.gz', ...passphrase(), '--as', 'other')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Something of this tenant is here already'),
  })
})

const rowsIn = (name: string) =>
  gunzipSync(readFileSync(file(name)))
    .toString()
    .split('\n')
    .slice(1, -2)

it('an import under another name gives the tenant a new id, and an export of it has the same rows', async () => {
  const other = await createInstance()
  try {
    const args = ['import', file('all.ndjson.gz'), ...passphrase(), '--as', 'moved', '--json']
    const { stdout } = await runAt(other, ...args)
    const { tenant } = JSON.parse(stdout)
    expect(tenant).toEqual({ id: expect.any(String), name: 'moved' })
    expect(tenant.id).not.toBe(source.tenantId)
    await runAt(other, 'export', 'moved', '--to', file('again.ndjson.gz'), ...passphrase())
    const isStable = (line: string) =>
      !/^\{"table":"(tenants|provider_configs|notification_webhooks|visibility_checks)"/.test(line) &&
      !line.includes('"action":"import"')
    const carriedLine = (line: string) => line.replaceAll('["admin","instance"]', '["admin"]')
    expect(rowsIn('again.ndjson.gz').filter(isStable)).toEqual(
      rowsIn('all.ndjson.gz').filter(isStable).map(carriedLine),
    )
  } finally {
    await other.drop()
  }
})

it('secrets that are left out are named when the tenant arrives, and nothing of them is in the file', async () => {
  const other = await createInstance()
  try {
    expect((await exportTo('open.ndjson', '--without-secrets')).code).toBe(0)
    expect(readFileSync(file('open.ndjson'), 'utf8')).not.toContain('"secrets":"')
    const { code, stdout } = await runAt(other, 'import', file('open.ndjson'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/Enter its secrets again: provider_configs \S+ resident-1/)
    expect(stdout).toMatch(
      /Enter its secrets again: notification_webhooks \S+ https:\/\/example.com\/resident-1/,
    )
  } finally {
    await other.drop()
  }
})

it('an export without secrets has to be asked for', async () => {
  expect(await exportTo('none.ndjson')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--without-secrets'),
  })
})
