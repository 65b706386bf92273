/** What migrations do to addresses that earlier versions stored. */
import { expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { migrateDown, migrateUp, migrationStatus } from '../../platform/database/migrate.ts'

const database = useDatabase()

async function goBackBefore(name: string): Promise<void> {
  const { applied } = await migrationStatus(database.url)
  expect(applied).toContain(name)
  await migrateDown(database.url, applied.length - applied.indexOf(name))
}

/** channel, as it was stored, as it is stored now */
const ADDRESSES = [
  ['email', 'x@münchen.example', 'x@xn--mnchen-3ya.example'],
  ['email', 'y@例え。テスト', 'y@xn--r8jz45g.xn--zckzah'],
  ['email', '<z@example.com>', 'z@example.com'],
  ['email', 'plain@example.com', 'plain@example.com'],
  ['email', 'no address', 'no address'],
  ['sms', '+49 151 123-45678', '+4915112345678'],
  ['sms', '+49 (0) 151 9', '+49 (0) 151 9'],
  ['chat', '#münchen', '#münchen'],
] as const

it('addresses of suppressions and users get the form in which new ones are compared with them', async () => {
  await goBackBefore('0038_normal_suppressions')
  const { pool } = database
  await pool.query(`insert into tenants (id, name) values (gen_random_uuid(), 'default')`)
  const suppress = (channel: string, address: string, detail: string, at: string) =>
    pool.query(
      `insert into suppressions (tenant_id, channel, address, reason, detail, created_at)
       select id, $1, $2, 'manual', $3, $4 from tenants`,
      [channel, address, detail, at],
    )
  for (const [channel, address] of ADDRESSES) await suppress(channel, address, 'old', '2026-01-01T00:00:00Z')
  await suppress('email', 'z@example.com', 'new', '2026-02-01T00:00:00Z')
  const people = [
    ['ada', 'X@München.example', '+49 151 123-45678'],
    ['bob', 'bob@münchen.example', '0151 12345'],
    ['twin', 'bob@xn--mnchen-3ya.example', null],
  ]
  for (const person of people)
    await pool.query(
      'insert into users (tenant_id, id, email, phone) select id, $1, $2, $3 from tenants',
      person,
    )

  await migrateUp(database.url)
  const { rows } = await pool.query('select channel, address, detail from suppressions')
  const shown = rows.map(({ channel, address, detail }) => `${channel} ${address} ${detail}`)
  expect(shown.sort()).toEqual(ADDRESSES.map(([channel, , now]) => `${channel} ${now} old`).sort())
  const users = await pool.query('select id, email, phone from users order by id')
  expect(users.rows.map(Object.values)).toEqual([
    ['ada', 'X@xn--mnchen-3ya.example', '+4915112345678'],
    people[1],
    people[2],
  ])
  const { rows: differing } = await pool.query(
    `select address from suppressions where lower(normal_address(channel, address)) <> address`,
  )
  expect(differing).toEqual([])
})
