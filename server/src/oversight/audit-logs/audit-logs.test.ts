import { pino } from 'pino'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { transaction } from '../../platform/database/pool.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { audited, recordChange, toAddress } from './audit-logs.ts'
import { useOperator } from './operator.fixture.ts'

const carillon = useCarillon()
const logs = (query = '', key?: string) => carillon.readAll(`/v1/audit-logs?${query}`, 100, key)
const put = (id: string, body: object, options: object = {}) =>
  carillon.request('PUT', `/v1/users/${id}`, { body, ...options })

const operator = useOperator(carillon)

it('an audit row says who did what to what, from where and with what', { tags: 'S002-26' }, async () => {
  const headers = { 'user-agent': 'backoffice/2.1' }
  const answer = await put('ada', { email: 'ada@example.com' }, { key: operator.key, headers })
  const [row] = await logs('resource_type=user&resource_id=ada')
  expect(row).toEqual({
    id: expect.any(String),
    user_id: 'op',
    api_key_id: operator.id,
    account_id: null,
    account_email: null,
    action: 'create',
    resource_type: 'user',
    resource_id: 'ada',
    ip_address: '127.0.0.1',
    user_agent: 'backoffice/2.1',
    request_id: answer.headers['x-request-id'],
    old_values: null,
    new_values: expect.objectContaining({ id: 'ada', email: 'ada@example.com', timezone: 'UTC' }),
    created_at: expect.any(String),
  })
})

it('the audit row of an update shows the changed fields before and after', { tags: 'S002-26' }, async () => {
  await put('bob', { email: 'old@example.com', locale: 'en' })
  await put('bob', { email: 'new@example.com', locale: 'en', username: 'bob' })
  const [update] = await logs('resource_id=bob')
  expect(update).toMatchObject({
    action: 'update',
    old_values: { email: 'old@example.com', username: null },
    new_values: { email: 'new@example.com', username: 'bob' },
  })
  await put('bob', { email: 'new@example.com', locale: 'en', username: 'bob' })
  expect((await logs('resource_id=bob'))[0]).toMatchObject({ old_values: {}, new_values: {} })
  await carillon.request('DELETE', '/v1/users/bob')
  expect((await logs('resource_id=bob'))[0]).toMatchObject({
    action: 'delete',
    old_values: { email: 'new@example.com', username: 'bob' },
    new_values: null,
  })
})

it('the audit rows of simultaneous changes show the values that each change found', {
  tags: 'S002-26',
}, async () => {
  const emails = Array.from({ length: 8 }, (_, n) => `at-once-${n}@example.com`)
  await Promise.all(emails.map(email => put('eve', { email })))
  const rows = (await logs('resource_id=eve')).reverse()
  expect(rows.map(row => row.action).sort()).toEqual(['create', ...Array(7).fill('update')])
  const byNew = new Map(rows.map(row => [row.new_values.email, row]))
  const current = (await carillon.request('GET', '/v1/users/eve')).body.email
  const chain: string[] = []
  for (let row = byNew.get(current); row !== undefined; row = byNew.get(row.old_values?.email)) {
    chain.push(row.new_values.email)
  }
  expect(chain.sort()).toEqual(emails)
})

it('the audit log holds no API key, no device token and no provider secret', {
  tags: 'S002-26',
}, async () => {
  const key = (await carillon.request('POST', '/v1/api-keys', { body: { name: 'k', scopes: [] } })).body.key
  const tenant = (await carillon.request('POST', '/v1/tenants', { body: { name: 'with a key' } })).body
  const device = { kind: 'fcm', token: 'secret-device-token' }
  await carillon.request('POST', '/v1/users/op/devices', { body: device })
  const config = { host: '127.0.0.1', port: 2525, from: 'a@example.com' }
  const smtp = { name: 'mail', kind: 'smtp', config, secrets: { password: 'secret-one' } }
  const { id } = (await carillon.request('POST', '/v1/providers', { body: smtp })).body
  await carillon.request('PATCH', `/v1/providers/${id}`, { body: { secrets: { password: 'secret-two' } } })
  const [change] = await logs(`resource_id=${id}`)
  expect(change).toMatchObject({ action: 'update', new_values: { secrets: '[redacted]' } })
  const { rows } = await carillon.pool.query(
    'select string_agg(a::text, chr(10)) as everything from audit_logs a',
  )
  for (const secret of [
    key.slice(7),
    tenant.api_key.key.slice(7),
    device.token,
    'secret-one',
    'secret-two',
  ]) {
    expect(rows[0].everything).not.toContain(secret)
  }
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:DB8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unix socket', null],
])('an audit row stores the address %s as %s', { tags: ['S002-26', 'S002-35'] }, async (ip, address) => {
  expect(toAddress(ip)).toBe(address)
  const request = {
    ip,
    id: 'r',
    headers: {},
    isAudited: false,
    principal: { ...PRINCIPAL, tenant_id: carillon.tenantId },
  }
  await audited(carillon.pool, request, { type: 'test', id: ip }, async () => ({}))
  expect((await logs(`resource_type=test&resource_id=${encodeURIComponent(ip)}`))[0].ip_address).toBe(address)
})

it('a caller whose connection is lost has no address', () => {
  expect(toAddress(undefined)).toBeNull()
})

it('the server believes only a trusted proxy about the caller’s address', async () => {
  for (const [trustedProxies, ip] of [
    [[], '127.0.0.1'],
    [['127.0.0.0/8'], '2001:db8::9'],
  ] as const) {
    const app = await createHttpServer({
      log: pino({ level: 'silent' }),
      authenticate: async () => undefined,
      trustedProxies: [...trustedProxies],
    })
    const schema = { response: { 200: z.object({ ip: z.string() }) } }
    app.get('/ip', { config: { scope: 'public' }, schema }, async request => ({ ip: request.ip }))
    const answer = await app.inject({ url: '/ip', headers: { 'x-forwarded-for': '2001:db8::9' } })
    expect(answer.json()).toEqual({ ip })
    await app.close()
  }
})

const PRINCIPAL = {
  tenant_id: '',
  api_key_id: '01900000-0000-7000-8000-000000000000',
  user_id: null,
  scopes: [],
  producers: null,
  expires_at: null,
  requests_per_minute: null,
  notifications_per_day: null,
  quota: { requests_per_minute: null, is_storage_full: false },
}

it('the audit log is filtered by user, key, action, resource and time, also combined', {
  tags: 'S002-26',
}, async () => {
  await carillon.putUser('watched')
  const { id, key } = await carillon.createKey({
    name: 'w',
    scopes: ['users:write', 'types:write'],
    user_id: 'watched',
  })
  const before = new Date().toISOString()
  await put('f1', {}, { key })
  await put('f1', { locale: 'de' }, { key })
  await carillon.request('PUT', '/v1/notification-types/f', { body: { channels: ['email'] }, key })
  const show = async (query: string) =>
    (await logs(query)).map(row => `${row.action} ${row.resource_type} ${row.resource_id}`)
  const all = ['create notification_type f', 'update user f1', 'create user f1']
  expect(await show('user_id=watched')).toEqual(all)
  expect(await show(`api_key_id=${id}`)).toEqual(all)
  expect(await show('user_id=watched&action=create')).toEqual([all[0], all[2]])
  expect(await show('user_id=watched&resource_type=user&resource_id=f1')).toEqual(all.slice(1))
  expect(await show(`created_after=${before}&user_id=watched`)).toEqual(all)
  expect(await show(`created_before=${before}&user_id=watched`)).toEqual([])
})

it('the audit log is paged without losing or repeating a row', async () => {
  for (let n = 0; n < 7; n++) await put('paged', { locale: n % 2 === 0 ? 'de' : 'fr' })
  const whole = await logs('resource_id=paged')
  expect(whole).toHaveLength(7)
  expect(await carillon.readAll('/v1/audit-logs?resource_id=paged', 3)).toEqual(whole)
})

it('the audit log needs its scope and shows the rows of one tenant only', { tags: 'S004-7' }, async () => {
  const { key } = await carillon.createTenant('elsewhere')
  expect(await logs('', key)).toEqual([])
  const reader = await carillon.createKey({ name: 'r', scopes: ['users:write', 'tenant:read'] })
  expect(problemOf(await carillon.request('GET', '/v1/audit-logs', { key: reader.key })).code).toBe(
    'forbidden',
  )
})

it('the first audit row is the creation of the first tenant, without an actor', {
  tags: 'S002-26',
}, async () => {
  const first = (await logs()).at(-1)
  expect(first).toMatchObject({
    action: 'create',
    resource_type: 'tenant',
    api_key_id: null,
    ip_address: null,
  })
})

it('accepting intents writes no audit row', { tags: 'S002-26' }, async () => {
  const before = (await logs()).length
  await carillon.send()
  await carillon.request('POST', '/v1/intents/batch', { body: { intents: [AN_INTENT, AN_INTENT] } })
  expect(await logs()).toHaveLength(before)
})

it('the audit log refuses an action, a type or an id that is too long, and cuts none', {
  tags: 'S002-35',
}, async () => {
  const write = (change: { type: string; id: string; action: string }) =>
    transaction(carillon.pool, tx => recordChange(tx, carillon.tenantId, change))
  const fits = { type: 'x'.repeat(50), id: 'x'.repeat(520), action: 'x'.repeat(100) }
  await write(fits)
  for (const [name, value] of Object.entries(fits)) {
    await expect(write({ ...fits, [name]: `${value}x` })).rejects.toMatchObject({ code: '23514' })
  }
})
