import { readFileSync } from 'node:fs'
import { KEY_ROLES, type KeyRole, ROLE_SCOPES, SCOPES, type Scope } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const create = (body: object, key = carillon.key) => carillon.request('POST', '/v1/api-keys', { body, key })
const keys = {} as Record<KeyRole, string>

beforeAll(async () => {
  for (const role of KEY_ROLES) keys[role] = (await create({ name: role, role })).body.key
})

/** owner has `admin`, which covers everything inside the tenant. */
const allows = (role: KeyRole, scope: Scope) =>
  (ROLE_SCOPES[role] as readonly Scope[]).includes(scope) || (role === 'owner' && scope !== 'instance')

describe('docs/reference/roles.md', () => {
  const document = readFileSync(new URL('../../../../docs/reference/roles.md', import.meta.url), 'utf8')
  const rows = [...document.matchAll(/^\| `(\S+)` \| (.+?) \| (.*) \|$/gm)].map(([, scope, , cells]) => ({
    scope,
    roles: KEY_ROLES.filter((_, i) => cells!.split('|')[i]!.trim() === '✓'),
  }))

  it('docs/reference/roles.md states which roles have each scope', () => {
    const expected = SCOPES.map(scope => ({ scope, roles: KEY_ROLES.filter(role => allows(role, scope)) }))
    expect(rows).toEqual(expected)
  })
})

const NOBODY = '01900000-0000-7000-8000-000000000000'

it.each(KEY_ROLES)('a key of the role %s has the scopes of the role', async role => {
  const { status, body } = await create({ name: 'again', role })
  expect([status, body.scopes]).toEqual([201, ROLE_SCOPES[role]])
})

it.each([
  ['GET', '/v1/records', ['owner', 'admin', 'operator', 'viewer']],
  ['GET', '/v1/dead-letters/count', ['owner', 'admin', 'operator', 'viewer']],
  ['POST', '/v1/dead-letters/replay', ['owner', 'admin', 'operator']],
  ['POST', '/v1/suppressions', ['owner', 'admin', 'operator']],
  ['POST', `/v1/webhooks/${NOBODY}/recoveries`, ['owner', 'admin', 'operator']],
  ['POST', `/v1/webhooks/${NOBODY}/deliveries/${NOBODY}/redeliver`, ['owner', 'admin', 'operator']],
  ['DELETE', `/v1/webhooks/${NOBODY}`, ['owner', 'admin']],
  ['PUT', '/v1/users/ada', ['owner', 'admin']],
  ['POST', '/v1/intents', ['owner', 'admin']],
  ['POST', '/v1/providers', ['owner', 'admin']],
  ['GET', '/v1/audit-logs', ['owner', 'admin']],
  ['PATCH', '/v1/tenant', ['owner']],
  ['GET', '/v1/tenants', []],
] as const)('%s %s is allowed to the roles: %s', async (method, path, permitted) => {
  const passed = []
  for (const role of KEY_ROLES) {
    const answer = await carillon.request(method, path, {
      key: keys[role],
      ...(method !== 'GET' && { body: {} }),
    })
    if (answer.status !== 403) passed.push(role)
  }
  expect(passed).toEqual(permitted)
})

it('a role can grant at most itself', async () => {
  for (const [from, made] of [
    ['owner', ['owner', 'admin', 'operator', 'viewer']],
    ['admin', ['admin', 'operator', 'viewer']],
    ['operator', []],
    ['viewer', []],
  ] as const) {
    const answers = await Promise.all(KEY_ROLES.map(role => create({ name: 'made', role }, keys[from])))
    expect([from, KEY_ROLES.filter((_, i) => answers[i]!.status === 201)]).toEqual([from, made])
  }
  const problem = problemOf(await create({ name: 'made', role: 'owner' }, keys.admin))
  expect(problem).toMatchObject({ code: 'forbidden', errors: [{ field: 'role' }] })
})

it.each([
  ['an unknown role', { role: 'root' }],
  ['a role beside scopes', { role: 'viewer', scopes: ['admin'] }],
])('creating a key with %s is refused', async (_name, body) => {
  const problem = problemOf(await create({ name: 'x', ...body }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', 'role'])
})

it('API keys are listed by user and by state', { tags: 'S002-33' }, async () => {
  await carillon.putUser('ada')
  const [kept, gone] = [
    (await create({ name: 'kept', user_id: 'ada' })).body.id,
    (await create({ name: 'gone', user_id: 'ada' })).body.id,
  ]
  await carillon.request('DELETE', `/v1/api-keys/${gone}`)
  const ids = async (query: string) => (await carillon.readAll(`/v1/api-keys?${query}`)).map(key => key.id)
  expect(await ids('user_id=ada')).toEqual([gone, kept])
  expect(await ids('user_id=ada&state=active')).toEqual([kept])
  expect(await ids('state=revoked')).toEqual([gone])
})
