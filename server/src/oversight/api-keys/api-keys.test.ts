import { createHash } from 'node:crypto'
import { SCOPES } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import { createKeyDirectory } from './api-keys.ts'

const carillon = useCarillon()
const create = (body: object, key?: string) =>
  carillon.request('POST', '/v1/api-keys', { body, ...(key && { key }) })
const listed = async (id: string) => (await carillon.readAll('/v1/api-keys')).find(key => key.id === id)

beforeAll(() => carillon.putUser('ada'))

it('an API key is shown once and stored as its SHA-256 and a hint', { tags: 'S002-24' }, async () => {
  const { status, body } = await create({ name: 'secret', scopes: ['records:read'] })
  expect(status).toBe(201)
  expect(body.key).toMatch(/^ck_[A-Za-z0-9_-]{32}$/)
  const { rows } = await carillon.pool.query(
    'select k.*, to_jsonb(k)::text as whole from api_keys k where id = $1',
    [body.id],
  )
  expect(rows[0].key_hash).toBe(createHash('sha256').update(body.key).digest('hex'))
  const secret = body.key.slice(8)
  expect(rows[0].whole).not.toContain(secret)
  expect(JSON.stringify(await listed(body.id))).not.toContain(secret)
  expect((await carillon.request('GET', '/v1/records', { key: body.key })).status).toBe(200)
})

it('the database holds the plaintext of an API key nowhere', { tags: 'S002-24' }, async () => {
  const { body } = await create({ name: 'nowhere', scopes: ['admin'] })
  await carillon.request('DELETE', `/v1/api-keys/${body.id}`)
  for (const table of Object.keys(await carillon.rowCounts())) {
    const found = await carillon.pool.query(`select from ${table} t where t::text like '%' || $1 || '%'`, [
      body.key.slice(8),
    ])
    expect([table, found.rowCount]).toEqual([table, 0])
  }
})

it('an API key without expires_at lasts for ever; an expired or revoked one is refused', {
  tags: 'S002-24',
}, async () => {
  const [forever, expired, revoked] = [
    (await create({ name: 'forever', scopes: ['admin'] })).body,
    (await create({ name: 'expired', scopes: ['admin'], expires_at: '2030-01-01T00:00:00Z' })).body,
    (await create({ name: 'revoked', scopes: ['admin'] })).body,
  ]
  const read = (key: { key: string }) => carillon.request('GET', '/v1/records', { key: key.key })
  for (const key of [forever, expired, revoked]) expect((await read(key)).status).toBe(200)
  await carillon.pool.query('update api_keys set expires_at = now() where id = $1', [expired.id])
  expect((await carillon.request('DELETE', `/v1/api-keys/${revoked.id}`)).status).toBe(204)
  for (const key of [expired, revoked]) expect(problemOf(await read(key)).code).toBe('unauthenticated')
  expect((await read(forever)).status).toBe(200)
  expect(await listed(forever.id)).toMatchObject({ expires_at: null, is_active: true })
  expect(await listed(revoked.id)).toMatchObject({ is_active: false })
})

it('the last_used_at of an API key is kept to the minute', { tags: 'S002-24' }, async () => {
  const { body } = await create({ name: 'used', scopes: ['records:read'] })
  expect((await listed(body.id)).last_used_at).toBeNull()
  const use = () => carillon.request('GET', '/v1/records', { key: body.key })
  await use()
  const first = (await listed(body.id)).last_used_at
  expect(Date.parse(first)).toBeGreaterThanOrEqual(Date.parse(body.created_at))
  await use()
  expect((await listed(body.id)).last_used_at).toBe(first)
  await carillon.pool.query(
    "update api_keys set last_used_at = now() - interval '61 seconds' where id = $1",
    [body.id],
  )
  await use()
  expect(Date.parse((await listed(body.id)).last_used_at)).toBeGreaterThanOrEqual(Date.parse(first))
})

it('the API key of a deleted user is gone', { tags: 'S002-34' }, async () => {
  await carillon.putUser('leaver')
  const { body } = await create({ name: 'of leaver', scopes: ['admin'], user_id: 'leaver' })
  await carillon.request('DELETE', '/v1/users/leaver')
  expect(problemOf(await carillon.request('GET', '/v1/records', { key: body.key })).code).toBe(
    'unauthenticated',
  )
  expect(await listed(body.id)).toBeUndefined()
})

it.each([
  ['no name', { scopes: [] }, 'invalid_request', 'name'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, 'invalid_request', 'name'],
  ['an unknown scope', { name: 'x', scopes: ['root'] }, 'invalid_request', 'scopes.0'],
  ['a wrong time', { name: 'x', expires_at: 'soon' }, 'invalid_request', 'expires_at'],
  [
    'a time that is over',
    { name: 'x', expires_at: '2020-01-01T00:00:00Z' },
    'invalid_timestamp',
    'expires_at',
  ],
  ['an unknown user', { name: 'x', user_id: 'ghost' }, 'recipient_not_found', 'user_id'],
])('an API key with %s is refused', { tags: 'S002-35' }, async (_name, body, code, field) => {
  const problem = problemOf(await create(body))
  expect([problem.status, problem.code, problem.errors?.[0]?.field]).toEqual([400, code, field])
})

it.each(SCOPES.filter(scope => scope !== 'api_keys:write'))(
  'a key cannot grant %s without having it',
  async scope => {
    const { key } = await carillon.createKey({ name: 'limited', scopes: ['api_keys:write'] })
    const problem = problemOf(await create({ name: 'more', scopes: ['api_keys:write', scope] }, key))
    expect(problem).toMatchObject({ status: 403, code: 'forbidden', errors: [{ field: 'scopes' }] })
  },
)

it('a key with admin can grant everything inside its tenant, but not the instance', async () => {
  const { key } = await carillon.createKey({ name: 'admin', scopes: ['admin'] })
  const inside = SCOPES.filter(scope => scope !== 'instance')
  expect((await create({ name: 'all', scopes: inside }, key)).status).toBe(201)
  expect(problemOf(await create({ name: 'too much', scopes: ['instance'] }, key)).code).toBe('forbidden')
  expect(problemOf(await carillon.request('GET', '/v1/tenants', { key })).code).toBe('forbidden')
})

it('a key revoked elsewhere is refused after a second, an expired one at once', async () => {
  let now = Date.now()
  const keys = createKeyDirectory(carillon.pool, () => now)
  const revoked = await carillon.createKey({ name: 'r', scopes: ['admin'] })
  const expiring = await carillon.createKey({
    name: 'e',
    scopes: null,
    expires_at: new Date(now + 60_500).toISOString(),
  })
  expect(await keys.authenticate(revoked.key)).toMatchObject({
    tenant_id: carillon.tenantId,
    scopes: ['admin'],
  })
  await carillon.request('DELETE', `/v1/api-keys/${revoked.id}`)
  now += 999
  expect(await keys.authenticate(revoked.key)).toBeDefined()
  now += 1
  expect(await keys.authenticate(revoked.key)).toBeUndefined()
  now += 58_999
  expect(await keys.authenticate(expiring.key)).toMatchObject({ scopes: [] })
  now += 501
  expect(await keys.authenticate(expiring.key)).toBeUndefined()
})

it('intents of two users never share a key space, however long the user ids are', async () => {
  const answers = []
  for (const end of ['1', '2']) {
    const id = `${'u'.repeat(150)}${end}`
    await carillon.putUser(id)
    const { key } = await carillon.createKey({ name: end, scopes: ['intents:write'], user_id: id })
    const body = { ...AN_INTENT, idempotency_key: 'same', payload: { end } }
    answers.push(await carillon.request('POST', '/v1/intents', { key, body }))
    answers.push(await carillon.request('POST', '/v1/intents', { key, body }))
  }
  expect(answers.map(answer => answer.status)).toEqual([202, 200, 202, 200])
})

it('the default producer is "api:" with the key’s user, or "api"', async () => {
  const { key } = await carillon.createKey({ name: 'ada', scopes: ['admin'], user_id: 'ada' })
  const producers = []
  for (const used of [key, carillon.key]) {
    const sent = await carillon.request('POST', '/v1/intents', { key: used, body: AN_INTENT })
    producers.push((await carillon.request('GET', `/v1/records/${sent.body.notification_id}`)).body.producer)
  }
  expect(producers).toEqual(['api:ada', 'api'])
})

const insertKey = (name: string, hash: string) =>
  `insert into api_keys (id, tenant_id, name, key_hash, hint) values (gen_random_uuid(), $1, ${name}, ${hash}, '')`

describeColumns(carillon, {
  longest: [['api_keys.name', 100, insertKey('$2', "encode(sha256(random()::text::bytea), 'hex')")]],
  refused: [['a key that is no SHA-256', insertKey("'x'", "'plain'"), 'api_keys_key_hash_check']],
})
