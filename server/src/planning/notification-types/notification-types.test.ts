import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'

const carillon = useCarillon()
const post = (intent: object) => carillon.request('POST', '/v1/intents', { body: { payload: {}, ...intent } })
const toAda = { kind: 'users', user_ids: ['ada'] }

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('invoice', {
    producers: ['billing', 'shop'],
    audience_kinds: ['users', 'topic'],
    channels: ['email', 'push'],
    required_fields: ['amount', 'due'],
  })
})

const invoice = {
  notification_type: 'invoice',
  producer: 'billing',
  audience: toAda,
  payload: { amount: 0, due: null },
}

it('an intent that fits its type gets a route for each channel of the type', {
  tags: 'S000-11',
}, async () => {
  const answer = await post(invoice)
  expect(answer.status).toBe(202)
  const routes = await carillon.routesOf(answer.body.notification_id)
  expect(routes.map(route => route.channel)).toEqual(['email', 'push'])
})

it.each([
  ['another producer', { producer: 'crm' }, 'invalid_producer', 'producer', 'billing, shop'],
  ['no producer', { producer: undefined }, 'invalid_producer', 'producer', 'billing, shop'],
  ['another audience', { audience: { kind: 'tenant' } }, 'invalid_audience', 'audience.kind', 'users, topic'],
  ['another channel', { channels: ['email', 'sms'] }, 'invalid_audience', 'channels', 'email, push'],
  ['a missing field', { payload: { amount: 1 } }, 'invalid_payload', 'payload.due', '"due"'],
])(
  'an intent with %s is refused with what its type allows',
  { tags: 'S000-11' },
  async (_name, change, code, field, allowed) => {
    const before = await carillon.rowCounts()
    const problem = problemOf(await post({ ...invoice, ...change }))
    expect(problem).toMatchObject({ status: 400, code })
    expect(problem.errors).toEqual([{ field, message: expect.stringContaining(allowed) }])
    expect(await carillon.rowCounts()).toEqual(before)
  },
)

it('an intent may choose one channel of its type', { tags: 'S000-11' }, async () => {
  const answer = await post({ ...invoice, idempotency_key: 'push only', channels: ['push'] })
  expect((await carillon.routesOf(answer.body.notification_id)).map(route => route.channel)).toEqual(['push'])
})

it('an intent of an unknown type is refused unless the tenant accepts such types', {
  tags: 'S000-11',
}, async () => {
  const unknown = { notification_type: 'rumour', audience: toAda, idempotency_key: 'rumour' }
  await carillon.request('PATCH', '/v1/tenant', { body: { accept_unknown_types: false } })
  const refused = problemOf(await post(unknown))
  await carillon.request('PATCH', '/v1/tenant', { body: { accept_unknown_types: true } })
  expect(refused).toMatchObject({ status: 400, code: 'unsupported_type' })
  const accepted = await post(unknown)
  expect(accepted.status).toBe(202)
  const routes = await carillon.routesOf(accepted.body.notification_id)
  expect(routes.map(route => route.channel)).toEqual(['email', 'in_app'])
})

it('a newly created tenant refuses unknown types', { tags: 'S000-11' }, async () => {
  const body = { name: 'strict-tenant' }
  const tenant = (await carillon.request('POST', '/v1/tenants', { body })).body
  const answer = await carillon.request('POST', '/v1/intents', {
    key: tenant.api_key.key,
    body: { notification_type: 'any', audience: { kind: 'tenant' }, payload: {} },
  })
  expect(problemOf(answer).code).toBe('unsupported_type')
})

it('a type is stored, listed, replaced completely and deleted', async () => {
  const path = '/v1/notification-types/a%2Fb%20c'
  const body = {
    channels: ['sms'],
    critical: true,
    category: 'ops',
    max_attempts: { sms: 2 },
    retry_base_ms: 50,
  }
  const put = await carillon.request('PUT', path, { body })
  expect(put.body).toMatchObject({ ...body, name: 'a/b c', producers: [], retry_cap_ms: null })
  expect((await carillon.request('GET', path)).body).toEqual(put.body)
  const listed = (await carillon.request('GET', '/v1/notification-types')).body.data
  expect(listed.map((type: { name: string }) => type.name)).toEqual(['a/b c', 'invoice'])
  const replaced = await carillon.request('PUT', path, { body: { channels: ['push'] } })
  expect(replaced.body).toMatchObject({
    channels: ['push'],
    critical: false,
    category: '',
    max_attempts: {},
  })
  expect((await carillon.request('DELETE', path)).status).toBe(204)
  expect(problemOf(await carillon.request('DELETE', path)).code).toBe('not_found')
  expect(problemOf(await carillon.request('GET', path)).code).toBe('not_found')
})

it.each([
  ['no channel', { channels: [] }, 'channels'],
  ['an unknown channel', { channels: ['fax'] }, 'channels.0'],
  ['an invalid admin address', { channels: ['email'], admin_emails: ['nobody'] }, 'admin_emails.0'],
  ['no attempts', { channels: ['email'], max_attempts: { email: 0 } }, 'max_attempts.email'],
  ['a category with a line break', { channels: ['email'], category: 'a\nb' }, 'category'],
  ['a blank category', { channels: ['email'], category: '  ' }, 'category'],
  ['a category that preferences cannot name', { channels: ['email'], category: '__proto__' }, 'category'],
  ['an unknown field', { channels: ['email'], chanels: [] }, 'chanels'],
])('a type with %s is refused', async (_name, body, field) => {
  const answer = await carillon.request('PUT', '/v1/notification-types/bad', { body })
  expect(problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(answer.body.errors[0].field).toBe(field)
})

const escalate = [{ channel: 'email' as const, after: 600 }]

it.each([
  [
    'an escalation to a channel that is used at once',
    { channels: ['in_app', 'email'], escalate },
    'escalate.0.channel',
  ],
  [
    'two escalations to one channel',
    { channels: ['in_app'], escalate: [...escalate, { ...escalate[0], after: 9 }] },
    'escalate.1.channel',
  ],
  ['an escalation unless read, without an inbox', { channels: ['sms'], escalate }, 'escalate.0.unless'],
  ['a digest window of 0 seconds', { channels: ['sms'], digest: { window: 0 } }, 'digest.window'],
  ['a throttle of 0 messages', { channels: ['sms'], throttle: { per: 60, max: 0 } }, 'throttle.max'],
  ['a delay of years', { channels: ['sms'], delay: 100_000_000 }, 'delay'],
])('a type with %s is refused as a contradiction', async (_name, body, field) => {
  const problem = problemOf(await carillon.request('PUT', '/v1/notification-types/bad', { body }))
  expect(problem).toMatchObject({ status: 400, errors: [{ field }] })
})

it.each([
  ['/v1/notification-types/a%0Ab', { channels: ['email'] }, 'name'],
  [`/v1/notification-types/${'x'.repeat(101)}`, { channels: ['email'] }, 'name'],
])('a type name that no intent could use is refused (%#)', { tags: 'S002-35' }, async (path, body, field) => {
  const problem = problemOf(await carillon.request('PUT', path, { body }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', field])
})

describeColumns(carillon, {
  longest: [
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
  ],
  refused: [
    [
      'a type without channels',
      `insert into notification_types (tenant_id, name, channels) values ($1, 'x', '{}')`,
      'notification_types_channels_check',
    ],
  ],
})
