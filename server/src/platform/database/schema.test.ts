import { describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'

const database = useDatabase()
const IN_CARILLON = "n.nspname = 'carillon' and c.relname <> 'pgmigrations'"
const names = async (sql: string): Promise<string[]> =>
  (await database.pool.query(sql)).rows.map(row => Object.values(row).join('.'))

/** Tables whose creation time has a name of its own. */
const BORN: Record<string, string> = {
  records: 'accepted_at',
  records_archive: 'accepted_at',
  records_archive_default: 'accepted_at',
  route_attempts_archive: 'started_at',
  route_attempts_archive_default: 'started_at',
  malformed_intents: 'recorded_at',
  captured_messages: 'captured_at',
  route_attempts: 'started_at',
  template_versions: 'published_at',
  provider_callbacks: 'received_at',
  provider_health: 'changed_at',
  recent_sends: 'second',
}
/** Days and hours by the clock of the person they belong to: storing a time zone with them would be wrong. */
const LOCAL =
  /^(routes(_archive(_default)?)?\.counted_on|daily_sends\.day|\w+_preferences\.quiet_hours_(start|end))\./
/** Bigint identity where order is the point; text where the caller or a stream gives the id. */
const NOT_UUID = [
  'admin_system_events.id',
  'domain_events.id',
  'notification_email_log.id',
  'threads.id',
  'users.id',
]

describe('the schema', () => {
  it('ids are UUIDs', { tags: 'S002-27' }, async () => {
    const columns = await names(
      `select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
       join pg_namespace n on n.oid = c.relnamespace
       where ${IN_CARILLON} and c.relkind in ('r', 'p') and a.attname in ('id', 'tenant_id', 'notification_id') and a.attnum > 0
         and a.atttypid <> 'uuid'::regtype order by 1, 2`,
    )
    expect(columns).toEqual(NOT_UUID)
  })

  it('every table says when its rows came to be', { tags: 'S002-27' }, async () => {
    const { rows } = await database.pool.query(
      `select c.relname as name, array_agg(a.attname::text) as columns from pg_attribute a
       join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where ${IN_CARILLON} and c.relkind in ('r', 'p') and a.attnum > 0 group by 1`,
    )
    expect(rows.length).toBeGreaterThan(12)
    const without = rows.filter(table => !table.columns.includes(BORN[table.name] ?? 'created_at'))
    expect(without.map(table => table.name)).toEqual([])
  })

  it('times carry their zone and keep milliseconds', { tags: 'S002-27' }, async () => {
    const others = await names(
      `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) from pg_attribute a
       join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = a.atttypid
       where ${IN_CARILLON} and c.relkind in ('r', 'p') and t.typcategory = 'D'
         and format_type(a.atttypid, a.atttypmod) <> 'timestamp(3) with time zone'`,
    )
    // recent_sends.second is a bucket, and a date is not a point in time
    expect(
      others.filter(
        column => !LOCAL.test(column) && !/^(recent_sends\.second|notification_metrics\.date)\./.test(column),
      ),
    ).toEqual([])
    const { rows } = await database.pool.query("select '2026-01-01T00:00:00.123Z'::timestamptz(3) as at")
    expect(rows[0].at.toISOString()).toBe('2026-01-01T00:00:00.123Z')
  })

  it('every foreign key is led by an index', { tags: 'S002-27' }, async () => {
    const { rows } = await database.pool.query(
      `select k.conrelid::regclass || ' ' || k.conname as name from pg_constraint k
       join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
       where ${IN_CARILLON} and k.contype = 'f' and not exists (
         select from pg_index i where i.indrelid = k.conrelid
           and (select array_agg(x order by x) from unnest((i.indkey::int2[])[0:cardinality(k.conkey) - 1]) x)
             = (select array_agg(x order by x) from unnest(k.conkey) x)
       )`,
    )
    expect(rows.map(row => row.name)).toEqual([])
  })
})

describe('foreign keys', () => {
  it('all follow a changed key inside a tenant; a tenant’s own id is fixed', {
    tags: ['S002-9', 'S002-34'],
  }, async () => {
    const others = await names(
      `select k.conrelid::regclass, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid
       join pg_namespace n on n.oid = c.relnamespace where ${IN_CARILLON} and k.contype = 'f'
         and k.confupdtype <> case when k.confrelid = 'tenants'::regclass then 'a' else 'c' end`,
    )
    expect(others).toEqual([])
  })

  it('a deleted row takes its dependants along; only resolvers, authors, actors, creators and what a session looks at are emptied (routes and letters by trigger: people/users/cascade.test.ts, operations/records/cascade.test.ts)', {
    tags: 'S002-34',
  }, async () => {
    const { rows } = await database.pool.query(
      `select k.conrelid::regclass || ' → ' || k.confrelid::regclass as link, k.confdeltype as action
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
       where ${IN_CARILLON} and k.contype = 'f'`,
    )
    const of = (action: string) => rows.filter(row => row.action === action).map(row => row.link)
    expect(of('n').sort()).toEqual([
      'api_keys → api_keys',
      'audit_logs → users',
      'dead_letters → users',
      'notification_email_log → notifications',
      'notification_templates → users',
      'notifications → users',
      'sessions → tenants',
      'template_versions → users',
      'threads → users',
    ])
    expect(of('c')).toEqual(
      expect.arrayContaining([
        'api_keys → users',
        'notifications → users',
        'watches → users',
        'dead_letters → tenants',
        'expansions → records',
      ]),
    )
    expect(of('a').concat(of('r'), of('d'))).toEqual([])
  })
})
