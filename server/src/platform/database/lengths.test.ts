import { beforeAll, describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'

const carillon = useCarillon()
const text = (length: number) => 'x'.repeat(length)

beforeAll(() => carillon.putUser('ada'))

type Case = [column: string, longest: number, sql: string]
const intoUsers = (column: string): string =>
  `insert into users (tenant_id, id, ${column}) values ($1, gen_random_uuid(), $2)`

/** Each statement takes the tenant as $1 and the text as $2. */
const CASES: Case[] = [
  ['users.email', 255, intoUsers('email')],
  ['users.username', 100, intoUsers('username')],
  ['users.phone', 20, intoUsers('phone')],
  ['users.locale', 35, intoUsers('locale')],
  ['users.timezone', 50, intoUsers('timezone')],
  ['users.id', 200, 'insert into users (tenant_id, id) values ($1, $2)'],
  [
    'tenants.name',
    100,
    'insert into tenants (id, name) select gen_random_uuid(), $2 where $1::uuid is not null',
  ],
  [
    'api_keys.name',
    100,
    `insert into api_keys (id, tenant_id, name, key_hash, hint) values (gen_random_uuid(), $1, $2, encode(sha256(random()::text::bytea), 'hex'), '')`,
  ],
  [
    'notification_types.name',
    100,
    `insert into notification_types (tenant_id, name, channels) values ($1, $2, '{email}')`,
  ],
  [
    'notification_types.category',
    50,
    `insert into notification_types (tenant_id, name, category, channels) values ($1, gen_random_uuid(), $2, '{email}')`,
  ],
  [
    'notification_templates.name',
    100,
    `insert into notification_templates (id, tenant_id, name, channel, locale, body) values (gen_random_uuid(), $1, $2, 'sms', 'en', '')`,
  ],
  [
    'notification_templates.subject',
    255,
    `insert into notification_templates (id, tenant_id, name, channel, locale, subject, body) values (gen_random_uuid(), $1, gen_random_uuid(), 'email', 'en', $2, '')`,
  ],
  [
    'watches.topic',
    200,
    `insert into watches (tenant_id, topic, user_id, level) values ($1, $2, 'ada', 'all')`,
  ],
  [
    'admin_system_events.event_type',
    50,
    `insert into admin_system_events (tenant_id, event_type, severity, description) values ($1, $2, 'low', '')`,
  ],
  [
    'malformed_intents.source_entry_id',
    255,
    `insert into malformed_intents (tenant_id, source, source_entry_id, failure_code, failure_message, raw_fields) values ($1, 'x', $2, '', '', '{}')`,
  ],
]

describe('the database', () => {
  it.each(CASES)(
    'S002-35 takes %s of %i characters and refuses one more, never cutting',
    async (column, longest, sql) => {
      const [table, name] = column.split('.')
      await carillon.pool.query(sql, [carillon.tenantId, text(longest)])
      const kept = await carillon.pool.query(`select max(length(${name})) as length from ${table}`)
      expect(kept.rows[0].length).toBe(longest)
      const tooLong = carillon.pool.query(sql, [carillon.tenantId, text(longest + 1)])
      await expect(tooLong).rejects.toMatchObject({ code: '23514', constraint: `${table}_${name}_check` })
    },
  )

  it.each([
    ['notification_type', 100],
    ['producer', 100],
    ['idempotency_key', 255],
  ])('S002-35 refuses records.%s beyond %i characters', async (column, longest) => {
    const id = await carillon.send()
    const update = (length: number) =>
      carillon.pool.query(`update records set ${column} = $1 where notification_id = $2`, [text(length), id])
    await update(longest)
    await expect(update(longest + 1)).rejects.toMatchObject({ constraint: `records_${column}_check` })
  })

  it('S004-19 an inbox message has at most 4 KiB', async () => {
    const insert = (length: number) =>
      carillon.pool.query(
        `insert into notifications (id, tenant_id, user_id, record_id, route_id, type, title, message)
         values (gen_random_uuid(), $1, 'ada', gen_random_uuid(), 'r', 't', 't', $2)`,
        [carillon.tenantId, text(length)],
      )
    await insert(4096)
    await expect(insert(4097)).rejects.toMatchObject({ constraint: 'notifications_message_check' })
  })
})

describe('the API', () => {
  it.each([
    ['notification_type', 100],
    ['producer', 100],
    ['idempotency_key', 255],
    ['request_id', 200],
  ])('S002-35 takes an intent’s %s of %i characters whole and refuses one more', async (field, longest) => {
    const post = (length: number) =>
      carillon.request('POST', '/v1/intents', { body: { ...AN_INTENT, [field]: text(length) } })
    const { notification_id } = (await post(longest)).body
    expect((await carillon.request('GET', `/v1/records/${notification_id}`)).body[field]).toBe(text(longest))
    expect(problemOf(await post(longest + 1)).errors?.[0]?.field).toBe(field)
  })

  it('S002-35 takes an address of 500 characters and refuses one more', async () => {
    const audience = (length: number) => ({
      kind: 'addresses',
      channel: 'webhook',
      addresses: [text(length)],
    })
    const id = await carillon.send({ audience: audience(500) })
    expect((await carillon.routesOf(id))[0]!.resolved_address).toHaveLength(500)
    const body = { ...AN_INTENT, audience: audience(501) }
    const problem = problemOf(await carillon.request('POST', '/v1/intents', { body }))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_recipients', 'audience.addresses.0'])
  })

  it('S002-35 an event type beyond 50 characters is refused', async () => {
    const raise = (length: number) =>
      raiseSystemEvent(carillon.pool, {
        tenant_id: null,
        event_type: text(length),
        severity: 'low',
        description: '',
      })
    expect((await raise(50)).event_type).toBe(text(50))
    await expect(raise(51)).rejects.toMatchObject({ constraint: 'admin_system_events_event_type_check' })
  })
})
