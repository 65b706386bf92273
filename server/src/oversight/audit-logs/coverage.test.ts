/**
 * Every operation that is not a GET, called once with success. A new one that stands neither here nor says in its own
 * `config.unaudited` why it needs no row fails this file.
 */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { raiseSystemEvent } from '../system-events/system-events.ts'
import { type Case, templateCases, webhookCases } from './coverage.fixture.ts'

const carillon = useCarillon()

const SMTP = { name: 'mail', kind: 'smtp', config: { host: '127.0.0.1', port: 2525, from: 'a@example.com' } }
let provider: string
let record: string
let letters: string[]

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('leaver')
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  const ids = [await carillon.send(), await carillon.send(), await carillon.send()]
  for (const id of ids) await carillon.settled(id, 'dead')
  await worker.stop()
  letters = (await carillon.readAll('/v1/dead-letters')).map(letter => letter.id)
  record = await carillon.send({ send_at: '2040-01-01T00:00:00Z' })
  provider = (await carillon.request('POST', '/v1/providers', { body: { ...SMTP, name: 'first' } })).body.id
})

const SCHEDULE = {
  name: 'weekly',
  cron: '0 9 * * 1',
  intent: { notification_type: 't', audience: { kind: 'users', user_ids: ['ada'] }, payload: {} },
}
const NO_PREFERENCES = { channels: {}, categories: {}, reasons: {}, digests: {} }
const CASES: Record<string, Case> = {
  ...webhookCases(carillon),
  ...templateCases(carillon),
  'POST /v1/records/{id}/cancel': () => ({
    path: `/v1/records/${record}/cancel`,
    row: () => ['cancel', 'record', record],
  }),
  'POST /v1/dead-letters/{id}/replay': () => ({
    path: `/v1/dead-letters/${letters[0]}/replay`,
    row: () => ['replay', 'dead_letter', letters[0]!],
  }),
  'POST /v1/dead-letters/{id}/resolve': () => ({
    path: `/v1/dead-letters/${letters[1]}/resolve`,
    row: () => ['resolve', 'dead_letter', letters[1]!],
  }),
  'POST /v1/dead-letters/replay': () => ({
    path: '/v1/dead-letters/replay',
    options: { body: { filter: { channel: 'email' } } },
    row: () => ['replay', 'dead_letter', null],
  }),
  'PUT /v1/notification-types/{name}': () => ({
    path: '/v1/notification-types/audited',
    options: { body: { channels: ['email'] } },
    row: () => ['create', 'notification_type', 'audited'],
  }),
  'DELETE /v1/notification-types/{name}': async () => {
    await carillon.putType('outdated', { channels: ['email'] })
    return { path: '/v1/notification-types/outdated', row: () => ['delete', 'notification_type', 'outdated'] }
  },
  'PUT /v1/topics/{topic}/watch': () => ({
    path: '/v1/topics/rust/watch',
    options: { body: { user_id: 'ada' } },
    row: () => ['create', 'watch', 'rust/ada'],
  }),
  'DELETE /v1/topics/{topic}/watch': async () => {
    await carillon.request('PUT', '/v1/topics/go/watch', { body: { user_id: 'ada' } })
    return { path: '/v1/topics/go/watch?user_id=ada', row: () => ['delete', 'watch', 'go/ada'] }
  },
  'PATCH /v1/tenant': () => ({
    path: '/v1/tenant',
    options: { body: { retry_base_ms: 20_000 } },
    row: () => ['update', 'tenant', carillon.tenantId],
  }),
  'POST /v1/tenants': () => ({
    path: '/v1/tenants',
    options: { body: { name: 'second' } },
    row: body => ['create', 'tenant', body.id],
  }),
  'PUT /v1/users/{id}': () => ({
    path: '/v1/users/bob',
    options: { body: {} },
    row: () => ['create', 'user', 'bob'],
  }),
  'DELETE /v1/users/{id}': () => ({ path: '/v1/users/leaver', row: () => ['delete', 'user', 'leaver'] }),
  'POST /v1/api-keys': () => ({
    path: '/v1/api-keys',
    options: { body: { name: 'k', scopes: [] } },
    row: body => ['create', 'api_key', body.id],
  }),
  'DELETE /v1/api-keys/{id}': async () => {
    const { id } = await carillon.createKey({ name: 'old' })
    return { path: `/v1/api-keys/${id}`, row: () => ['revoke', 'api_key', id] }
  },
  'PUT /v1/users/{id}/preferences': () => ({
    path: '/v1/users/ada/preferences',
    options: { body: NO_PREFERENCES },
    row: () => ['update', 'preferences', 'ada'],
  }),
  'PUT /v1/preferences': () => ({
    path: '/v1/preferences',
    options: { body: NO_PREFERENCES },
    row: () => ['update', 'default_preferences', carillon.tenantId],
  }),
  'POST /v1/schedules': () => ({
    path: '/v1/schedules',
    options: { body: SCHEDULE },
    row: body => ['create', 'schedule', body.id],
  }),
  'PATCH /v1/schedules/{id}': async () => {
    const { id } = (await carillon.request('POST', '/v1/schedules', { body: SCHEDULE })).body
    const options = { body: { is_active: false } }
    return { path: `/v1/schedules/${id}`, options, row: () => ['update', 'schedule', id] }
  },
  'DELETE /v1/schedules/{id}': async () => {
    const { id } = (await carillon.request('POST', '/v1/schedules', { body: SCHEDULE })).body
    return { path: `/v1/schedules/${id}`, row: () => ['delete', 'schedule', id] }
  },
  'POST /v1/users/{id}/devices': () => ({
    path: '/v1/users/ada/devices',
    options: { body: { kind: 'fcm', token: 'a-token' } },
    row: body => ['register', 'device', body.id],
  }),
  'DELETE /v1/users/{id}/devices/{device_id}': async () => {
    const body = { kind: 'fcm', token: 'b-token' }
    const { id } = (await carillon.request('POST', '/v1/users/ada/devices', { body })).body
    return { path: `/v1/users/ada/devices/${id}`, row: () => ['delete', 'device', id] }
  },
  'POST /v1/providers': () => ({
    path: '/v1/providers',
    options: { body: SMTP },
    row: body => ['create', 'provider', body.id],
  }),
  'PATCH /v1/providers/{id}': () => ({
    path: `/v1/providers/${provider}`,
    options: { body: { priority: 7 } },
    row: () => ['update', 'provider', provider],
  }),
  'DELETE /v1/providers/{id}': async () => {
    const body = { ...SMTP, name: 'short-lived' }
    const { id } = (await carillon.request('POST', '/v1/providers', { body })).body
    return { path: `/v1/providers/${id}`, row: () => ['delete', 'provider', id] }
  },
  'POST /v1/suppressions': () => ({
    path: '/v1/suppressions',
    options: { body: { channel: 'email', address: 'No@Example.com' } },
    row: () => ['create', 'suppression', 'email:no@example.com'],
  }),
  'DELETE /v1/suppressions': async () => {
    const body = { channel: 'email', address: 'yes@example.com' }
    await carillon.request('POST', '/v1/suppressions', { body })
    return {
      path: '/v1/suppressions?channel=email&address=Yes@example.com',
      row: () => ['delete', 'suppression', 'email:yes@example.com'],
    }
  },
  'POST /v1/system-events/{id}/resolve': async () => {
    const event = { tenant_id: carillon.tenantId, event_type: 'e', severity: 'low', description: '' } as const
    const { id } = await raiseSystemEvent(carillon.pool, event)
    return { path: `/v1/system-events/${id}/resolve`, row: () => ['resolve', 'system_event', String(id)] }
  },
}

/** The reasons stand at the routes; this list only keeps a new exception from slipping in unseen. */
const UNAUDITED = [
  'POST /v1/intents',
  'POST /v1/intents/batch',
  'POST /v1/intents/simulate',
  'POST /v1/users/{id}/preference-links',
  'POST /v1/providers/{id}/test',
  'POST /v1/callbacks/{id}',
  'POST /v1/limits/check',
  'POST /v1/webhooks/{id}/test',
  'POST /v1/templates/preview',
  'POST /v1/templates/{name}/{channel}/{locale}/preview',
]

function changingOperations(): string[] {
  return Object.entries(carillon.api.swagger().paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods as object)
      .filter(method => method !== 'get')
      .map(method => `${method.toUpperCase()} ${path}`),
  )
}

it('S002-26 every operation that changes something is known here', () => {
  expect(changingOperations().sort()).toEqual([...Object.keys(CASES), ...UNAUDITED].sort())
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

it.each(Object.keys(CASES))(
  'S002-26 %s changes nothing without its row, and leaves exactly one',
  async name => {
    const { path, options = {}, row } = await CASES[name]!()
    const call = () =>
      carillon.request(name.split(' ')[0] as 'POST', path, {
        ...(name.startsWith('POST') && { body: {} }),
        ...options,
      })
    const before = await contents()
    await carillon.pool.query('alter table audit_logs add constraint full_disk check (false) not valid')
    const refused = await call()
    await carillon.pool.query('alter table audit_logs drop constraint full_disk')
    expect(refused.status).toBe(500)
    expect(await contents()).toEqual(before)

    const known = (await carillon.pool.query('select id from audit_logs')).rows.map(each => each.id)
    const answer = await call()
    expect([answer.status, answer.body]).toEqual([expect.toBeOneOf([200, 201, 202, 204]), answer.body])
    const { rows } = await carillon.pool.query(
      'select action, resource_type, resource_id, api_key_id from audit_logs where not id = any ($1)',
      [known],
    )
    const [action, resource_type, resource_id] = row(answer.body)
    expect(rows).toMatchObject([{ action, resource_type, resource_id, api_key_id: expect.any(String) }])
  },
)

it('S002-26 a change that is refused leaves no row', async () => {
  const count = async () => (await carillon.rowCounts()).audit_logs
  const before = await count()
  for (const [method, path, body] of [
    ['DELETE', '/v1/users/nobody', undefined],
    ['DELETE', '/v1/notification-types/nothing', undefined],
    ['POST', `/v1/dead-letters/${letters[1]}/resolve`, {}],
    ['POST', '/v1/tenants', { name: 'default' }],
    ['POST', '/v1/providers', { ...SMTP, name: 'first' }],
    ['PATCH', '/v1/tenant', { retry_cap_ms: 1 }],
    ['DELETE', `/v1/webhooks/${provider}`, undefined],
    ['POST', `/v1/webhooks/${provider}/recoveries`, { since: '2020-01-01T00:00:00Z' }],
    ['PATCH', '/v1/templates/nothing/sms/en', { is_active: true }],
    ['POST', '/v1/templates/nothing/sms/en/publish', {}],
    ['DELETE', '/v1/template-parts/partial/nothing', undefined],
    ['DELETE', '/v1/translations/fr', undefined],
  ] as const) {
    const answer = await carillon.request(method, path, body === undefined ? {} : { body })
    expect([path, answer.status]).toEqual([path, expect.toBeOneOf([400, 404, 409])])
  }
  expect(await count()).toBe(before)
})
