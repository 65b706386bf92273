/** What migrations do to keys. */
import { expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { migrateDown, migrateUp, migrationStatus } from '../../platform/database/migrate.ts'

const database = useDatabase()

async function goBackBefore(name: string): Promise<void> {
  const { applied } = await migrationStatus(database.url)
  expect(applied).toContain(name)
  await migrateDown(database.url, applied.length - applied.indexOf(name))
}

it('keys keep what they could do when a scope is divided, and an older version finds no scope it does not know', {
  tags: 'S002-28',
}, async () => {
  const scopesOf = async () => {
    const { rows } = await database.pool.query(`select name, scopes from api_keys order by name`)
    return Object.fromEntries(rows.map(({ name, scopes }) => [name, scopes]))
  }
  const before = {
    both: ['webhooks:write', 'webhook_deliveries:write'],
    divided: ['records:read', 'webhooks:write'],
    nothing: null,
    reader: ['webhooks:read'],
  }
  await goBackBefore('0012_webhook_delivery_scope')
  await database.pool.query(`insert into tenants (id, name) values (gen_random_uuid(), 'default')`)
  for (const [name, scopes] of Object.entries(before))
    await database.pool.query(
      `insert into api_keys (id, tenant_id, name, key_hash, hint, scopes)
         select gen_random_uuid(), id, $1::text, encode(sha256($1::text::bytea), 'hex'), '', $2 from tenants`,
      [name, scopes],
    )
  await migrateUp(database.url)
  const divided = ['records:read', 'webhooks:write', 'webhook_deliveries:write']
  expect(await scopesOf()).toEqual({ ...before, divided })
  await goBackBefore('0012_webhook_delivery_scope')
  expect(await scopesOf()).toEqual({ ...before, both: ['webhooks:write'] })
  await migrateUp(database.url)
  expect(await scopesOf()).toEqual({ ...before, divided })
})
