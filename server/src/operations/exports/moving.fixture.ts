/** A tenant with something in every table, an instance to move it to, and the commands that move it. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type TestCarillon, useCarillon } from '../../../test/carillon.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { inhabit } from '../../../test/inhabited.ts'
import { type Outcome, carillon as runCommand } from '../../cli/in-process.fixture.ts'
import { createFirstTenant } from '../../oversight/tenants/tenants.ts'
import { newMasterKey } from '../../platform/secrets/keyring.ts'

export interface Moving {
  readonly source: TestCarillon
  readonly target: TestDatabase
  /** The master key of every instance but the source. */
  readonly targetKey: string
  /** The path of a file that only these tests use. */
  file(name: string): string
  passphrase(): string[]
  exportTo(name: string, ...args: string[]): Promise<Outcome>
  importFrom(name: string, ...args: string[]): Promise<Outcome>
  /** Runs a command at another instance than the two. */
  runAt(instance: TestDatabase, ...args: string[]): Promise<Outcome>
}

export function useMoving(): Moving {
  const source = useCarillon()
  const targetKey = newMasterKey()
  let target: TestDatabase
  let folder: string
  const file = (name: string) => join(folder, name)
  const run = (url: string, key: string, args: string[]) =>
    runCommand('', args, {
      environment: { DATABASE_URL: url, CARILLON_MASTER_KEY: key, CARILLON_DATA_DIR: folder },
    })

  beforeAll(async () => {
    folder = mkdtempSync(join(inject('scratchDir'), 'exports-'))
    writeFileSync(file('passphrase'), 'a passphrase of the test\n')
    target = await createInstance()
    await inhabit(source)
    await addOddValues(source)
  })
  afterAll(() => target?.drop())

  return {
    source,
    targetKey,
    get target() {
      return target
    },
    file,
    passphrase: () => ['--passphrase-file', file('passphrase')],
    exportTo: (name, ...args) =>
      run(source.url, source.providers.masterKey, ['export', source.tenantId, '--to', file(name), ...args]),
    importFrom: (name, ...args) => run(target.url, targetKey, ['import', file(name), ...args]),
    runAt: (instance, ...args) => run(instance.url, targetKey, args),
  }
}

/** As it is after its first start, except that its own tenant has another name than the one that comes. */
export async function createInstance(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  await createFirstTenant(database.pool)
  await database.pool.query("update tenants set name = 'operator'")
  // The first numbers are taken.
  await database.pool.query(
    `insert into admin_system_events (event_type, severity, description) values ('t', 'low', 'd');
     insert into users (tenant_id, id) select id, 'u' from tenants;
     insert into notification_email_log (tenant_id, user_id, record_id, route_id, message_id, sent_at)
       select id, 'u', uuid_v7(), 'r', 'm', now() from tenants`,
  )
  return database
}

/** What survives only if nothing is read into a number, parsed and written again, or taken for another null. */
async function addOddValues({ pool, tenantId }: TestCarillon): Promise<void> {
  await pool.query('update kv_entries set version = 9007199254740993 where key = $1', ['resident-1'])
  await pool.query("select setval('kv_versions', 9007199254740993)")
  await pool.query(
    `update notifications set answer = 'null', summary = '{"n": 12345678901234567890.10, "x": null, "s": "\u2028\\n"}'
     where user_id is not null`,
  )
  await pool.query(
    `update records set payload_json = E'{ "b":1.0,\t"a" :\u2028 [ 1 , 2e5 ]}\r\n', recipients = array['a,"b', 'NULL', '{}', ''],
       idempotency_expires_at = '2026-01-02 03:04:05.678+02'`,
  )
  await pool.query(
    "update routes set lease_owner = 'x', lease_until = now() where next_attempt_at is not null",
  )
  await pool.query(
    "update api_keys set limited_as = (select min(id::text)::uuid from api_keys where name = 'resident-2') where name = 'resident-1'",
  )
  const filled = `
    insert into records_archive select (jsonb_populate_record(null::records_archive, to_jsonb(r) || jsonb_build_object(
      'notification_id', '0191a000' || substr(notification_id::text, 9), 'accepted_at', '2024-08-29T10:00:00Z'))).* from records r;
    insert into routes_archive select (jsonb_populate_record(null::routes_archive, to_jsonb(r) || jsonb_build_object(
      'notification_id', '0191a000' || substr(notification_id::text, 9)))).* from routes r;
    insert into route_attempts_archive select (jsonb_populate_record(null::route_attempts_archive, to_jsonb(a) || jsonb_build_object(
      'notification_id', '0191a000' || substr(notification_id::text, 9)))).* from route_attempts a;
    insert into attachments select tenant_id, notification_id, 0, 'a.bin', 'a/b', decode('00ff0a22', 'hex'), now() from records limit 1;
    insert into expansions select tenant_id, notification_id, 'here' from records limit 1;
    insert into notification_receipts (tenant_id, notification_id, user_id, is_read, read_at)
      select n.tenant_id, n.id, u.id, true, now() from notifications n, users u where n.user_id is null;
    insert into digests (id, tenant_id, notification_type, channel, recipient_ref, key, closes_at)
      values (uuid_v7(), '${tenantId}', 't', 'email', 'r', 'k', now());
    insert into daily_sends select tenant_id, id, 'email', current_date, 1, 2, 3 from users;
    insert into capped_sends select tenant_id, id, 'email', '', 'hour', 'p', 1 from users;
    insert into throttles (tenant_id, notification_type, recipient_ref, key, expires_at) values ('${tenantId}', 't', 'r', 'k', now());
    insert into push_tickets (tenant_id, provider_id, ticket, notification_id, route_id, device_id, next_attempt_at)
      values ('${tenantId}', uuid_v7(), 't', uuid_v7(), 'r', uuid_v7(), now());
    insert into provider_configs (id, name, kind, channel, config) values (uuid_v7(), 'shared', 'http', 'sms', '{}');
    insert into provider_callbacks (tenant_id, provider_id, event_id, kind, occurred_at)
      select '${tenantId}', id, name, 'opened', now() from provider_configs`
  await pool.query(filled)
}
