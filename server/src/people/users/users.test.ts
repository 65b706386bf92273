import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'

const carillon = useCarillon()
const put = (id: string, body: object, key?: string) =>
  carillon.request('PUT', `/v1/users/${encodeURIComponent(id)}`, { body, ...(key && { key }) })

it('a user is created with defaults and replaced whole, and keeps the time of creation', {
  tags: 'S002-1',
}, async () => {
  const created = await put('ada', {
    email: 'Ada@Example.com',
    username: 'ada',
    timezone: 'Europe/Berlin',
    locale: 'de',
  })
  expect(created.body).toMatchObject({
    id: 'ada',
    email: 'Ada@example.com',
    phone: null,
    timezone: 'Europe/Berlin',
  })
  const replaced = await put('ada', { phone: '+4915112345678' })
  expect(replaced.body).toMatchObject({
    email: null,
    username: null,
    locale: '',
    timezone: 'UTC',
    phone: '+4915112345678',
  })
  expect(replaced.body.created_at).toBe(created.body.created_at)
  expect(Date.parse(replaced.body.updated_at)).toBeGreaterThan(Date.parse(created.body.updated_at))
  expect((await carillon.request('GET', '/v1/users/ada')).body).toEqual(replaced.body)
})

it.each([
  ['email', 'same@example.com', 'SAME@example.COM'],
  ['username', 'same', 'same'],
])('a second user with the same %s is refused', { tags: 'S002-1' }, async (field, first, second) => {
  await put(`one-${field}`, { [field]: first })
  const before = await carillon.rowCounts()
  const problem = problemOf(await put(`two-${field}`, { [field]: second }))
  expect(problem).toMatchObject({
    status: 409,
    code: 'already_exists',
    errors: [{ field, message: 'Taken.' }],
  })
  expect(await carillon.rowCounts()).toEqual(before)
})

it('several users created at once with one address leave one', { tags: 'S002-1' }, async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(n => put(`race-${n}`, { email: 'race@example.com' })))
  expect(answers.map(answer => answer.status).sort()).toEqual([200, 409, 409, 409])
})

it('two tenants may have users with the same id, address and name', { tags: 'S002-1' }, async () => {
  const body = { email: 'both@example.com', username: 'both' }
  const other = await carillon.createTenant('users-elsewhere')
  expect((await put('both', body)).status).toBe(200)
  expect((await put('both', body, other.key)).status).toBe(200)
  expect((await carillon.request('DELETE', '/v1/users/both', { key: other.key })).status).toBe(204)
  expect((await carillon.request('GET', '/v1/users/both')).status).toBe(200)
})

it('users are found by address, whatever its case, and by name', async () => {
  await put('found', { email: 'Find@Example.com', username: 'finder' })
  const ids = async (query: string) => (await carillon.readAll(`/v1/users?${query}`)).map(user => user.id)
  expect(await ids('email=FIND@example.com')).toEqual(['found'])
  expect(await ids('username=finder')).toEqual(['found'])
  expect(await ids('username=Finder')).toEqual([])
})

it('a deleted user is gone, and deleting it again finds nothing', { tags: 'S002-1' }, async () => {
  await put('leaver', {})
  expect((await carillon.request('DELETE', '/v1/users/leaver')).status).toBe(204)
  expect(problemOf(await carillon.request('DELETE', '/v1/users/leaver')).code).toBe('not_found')
  expect(problemOf(await carillon.request('GET', '/v1/users/leaver')).code).toBe('not_found')
})

it.each([
  ['email', `${'x'.repeat(244)}@example.com`],
  ['email', 'no-at-sign'],
  ['email', 'two@@example.com'],
  ['email', 'a@b.c\nBcc: d@e.f'],
  ['username', 'u'.repeat(101)],
  ['username', ''],
  ['username', 'a\u0007b'],
  ['phone', '0151 12345'],
  ['phone', `+${'1'.repeat(16)}`],
  ['locale', 'x'.repeat(36)],
  ['locale', '<script>'],
  ['timezone', 'Mars/Olympus'],
  ['timezone', `Europe/${'x'.repeat(50)}`],
  ['nickname', 'x'],
])('a wrong %s of a user is refused, never cut: %j', { tags: 'S002-35' }, async (field, value) => {
  const before = await carillon.rowCounts()
  const problem = problemOf(await put('wrong', { [field]: value }))
  expect([problem.status, problem.code, problem.errors?.[0]?.field]).toEqual([400, 'invalid_request', field])
  expect(await carillon.rowCounts()).toEqual(before)
})

it.each([
  ['longest email', { email: `${'x'.repeat(64)}@${`${'y'.repeat(58)}.`.repeat(3)}example.com` }],
  ['longest username', { username: 'u'.repeat(100) }],
  ['longest locale', { locale: `de${'-abcdefgh'.repeat(3)}-abcde` }],
])('the %s is kept whole', { tags: 'S002-35' }, async (_name, body) => {
  expect((await put('longest', body)).body).toMatchObject(body)
})

it.each(['x'.repeat(201), 'line\nbreak', 'tab\t'])(
  'an id that could not be addressed is refused: %j',
  { tags: 'S002-35' },
  async id => {
    const problem = problemOf(await put(id, {}))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'id'])
  },
)

const intoUsers = (column: string) =>
  `insert into users (tenant_id, id, ${column}) values ($1, gen_random_uuid(), $2)`

describeColumns(carillon, {
  longest: [
    ['users.id', 200, 'insert into users (tenant_id, id) values ($1, $2)'],
    ['users.email', 255, intoUsers('email')],
    ['users.username', 100, intoUsers('username')],
    ['users.phone', 20, intoUsers('phone')],
    ['users.locale', 35, intoUsers('locale')],
    ['users.timezone', 50, intoUsers('timezone')],
  ],
  refused: [
    [
      'an address of one character',
      `insert into users (tenant_id, id, email) values ($1, 'x', 'x')`,
      'users_email_check',
    ],
    ['an empty id', `insert into users (tenant_id, id) values ($1, '')`, 'users_id_check'],
  ],
})
