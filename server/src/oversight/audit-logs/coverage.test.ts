/**
 * Every operation that is not a GET, called once with success. A new one without a call fails this file, and so does one
 * that leaves no row unless its route says in `config.unaudited` why it needs none.
 */
import { expect, it } from 'vitest'
import { changingCalls } from '../../../test/calls/calls.ts'
import { type Answer, useCarillon } from '../../../test/carillon.ts'
import { operationsOf } from '../../../test/operations.ts'

const carillon = useCarillon()
const CALLS = changingCalls(carillon)

async function prepare(name: string) {
  const { path, options = {}, row } = await CALLS[name]!()
  const [method] = name.split(' ') as ['POST']
  const body = method === 'POST' ? { body: {} } : {}
  return { call: () => carillon.request(method, path, { ...body, ...options }), row }
}

it('every changing operation has a call in server/test/calls', { tags: 'S002-26' }, () => {
  const changing = operationsOf(carillon.api).filter(({ method }) => method !== 'GET')
  expect(Object.keys(CALLS).sort()).toEqual(changing.map(({ name }) => name).sort())
})

/** Everything that is stored, to prove that nothing of it changed. */
async function contents(): Promise<Record<string, string>> {
  const tables = Object.keys(await carillon.rowCounts())
  const hashes = tables.map(table => {
    const row = table === 'api_keys' ? "(to_jsonb(t) - 'last_used_at')" : 't'
    return `(select md5(string_agg(${row}::text, ' ' order by ${row}::text)) from ${table} t) as ${table}`
  })
  return (await carillon.pool.query(`select ${hashes.join(', ')}`)).rows[0]
}

it.each(Object.keys(CALLS))(
  '%s changes nothing without its audit row, and leaves exactly one unless it needs none',
  { tags: 'S002-26' },
  async name => {
    const { call, row } = await prepare(name)
    if (row !== undefined) await expectRefusedWithoutRow(call)
    const known = (await carillon.pool.query('select id from audit_logs')).rows.map(each => each.id)
    const answer = await call()
    expect([answer.status, answer.body]).toEqual([expect.toBeOneOf([200, 201, 202, 204]), answer.body])
    const { rows } = await carillon.pool.query(
      `select action, resource_type, resource_id, coalesce(api_key_id, account_id) as actor
       from audit_logs where not id = any ($1)`,
      [known],
    )
    const [action, resource_type, resource_id] = row?.(answer.body) ?? []
    const expected = { action, resource_type, resource_id, actor: expect.any(String) }
    expect(rows).toMatchObject(row === undefined ? [] : [expected])
  },
)

async function expectRefusedWithoutRow(call: () => Promise<Answer>): Promise<void> {
  const before = await contents()
  await carillon.pool.query('alter table audit_logs add constraint full_disk check (false) not valid')
  const refused = await call()
  await carillon.pool.query('alter table audit_logs drop constraint full_disk')
  expect(refused.status).toBe(500)
  expect(await contents()).toEqual(before)
}

it('a refused change leaves no audit row', { tags: 'S002-26' }, async () => {
  const count = async () => (await carillon.rowCounts()).audit_logs
  const { call: resolve } = await prepare('POST /v1/dead-letters/{id}/resolve')
  const unknown = '01900000-0000-7000-8000-000000000000'
  await resolve()
  const before = await count()
  expect((await resolve()).status).toBe(409)
  for (const [method, path, body] of [
    ['DELETE', '/v1/users/nobody', undefined],
    ['DELETE', '/v1/notification-types/nothing', undefined],
    ['POST', '/v1/tenants', { name: 'default' }],
    ['POST', '/v1/providers', { name: 'nameless', kind: 'nothing' }],
    ['PATCH', '/v1/tenant', { retry_cap_ms: 1 }],
    ['DELETE', `/v1/webhooks/${unknown}`, undefined],
    ['POST', `/v1/webhooks/${unknown}/recoveries`, { since: '2020-01-01T00:00:00Z' }],
    ['PATCH', '/v1/templates/nothing/sms/en', { is_active: true }],
    ['POST', '/v1/templates/nothing/sms/en/publish', {}],
    ['DELETE', '/v1/template-parts/partial/nothing', undefined],
    ['DELETE', '/v1/translations/fr', undefined],
    ['POST', '/v1/scripts', { name: 'broken', source: '(' }],
    ['DELETE', `/v1/scripts/${unknown}`, undefined],
  ] as const) {
    const answer = await carillon.request(method, path, body === undefined ? {} : { body })
    expect([path, answer.status]).toEqual([path, expect.toBeOneOf([400, 404, 409])])
  }
  expect(await count()).toBe(before)
})
