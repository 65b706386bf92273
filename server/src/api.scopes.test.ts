import { type CreatedApiKey, SCOPES, type Scope } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../test/carillon.ts'
import { type Operation, operationsOf } from '../test/operations.ts'

const carillon = useCarillon()

type Asked = Pick<Operation, 'method' | 'path'>

/** Everything under /v1 needs a key. Add a route here only when it proves its caller in another way. */
const WITHOUT_KEY = [
  'POST /v1/callbacks/{id}',
  'POST /v1/session',
  'POST /v1/invitations/read',
  'POST /v1/invitations/accept',
]

function operations(): Asked[] {
  return operationsOf(carillon.api)
    .filter(({ name, path, isForSessions }) => {
      return path.startsWith('/v1/') && !isForSessions && !WITHOUT_KEY.includes(name)
    })
    .map(({ method, path }) => ({
      method,
      path: path.replace(/\{[^}]+\}/g, '01900000-0000-7000-8000-000000000000'),
    }))
}

const ask = ({ method, path }: Asked, key: string | null) => carillon.request(method, path, { key })
const neededScope = async (operation: Asked): Promise<Scope> => {
  const problem = problemOf(await ask(operation, scopeless.key))
  return /"([a-z_:]+)"/.exec(problem.detail)![1] as Scope
}

let scopeless: CreatedApiKey

beforeAll(async () => {
  scopeless = await carillon.createKey({ name: 'scopeless', scopes: null })
})

async function expectDenied(key: string | null, status: number, code: string): Promise<void> {
  const before = await carillon.rowCounts()
  for (const operation of operations()) {
    const problem = problemOf(await ask(operation, key))
    expect([operation, problem.status, problem.code]).toEqual([operation, status, code])
  }
  expect(await carillon.rowCounts()).toEqual(before)
}

describe('every operation under /v1', () => {
  it('denies a caller without a key', { tags: 'S002-24' }, () => expectDenied(null, 401, 'unauthenticated'))

  it('denies an unknown key', { tags: 'S002-24' }, () => expectDenied('ck_unknown', 401, 'unauthenticated'))

  it('denies an expired key', { tags: 'S002-24' }, async () => {
    const { id, key } = await carillon.createKey({ name: 'expired', scopes: ['admin', 'instance'] })
    await carillon.pool.query("update api_keys set expires_at = now() - interval '1 ms' where id = $1", [id])
    await expectDenied(key, 401, 'unauthenticated')
  })

  it('denies a revoked key', { tags: 'S002-24' }, async () => {
    const { id, key } = await carillon.createKey({ name: 'revoked', scopes: ['admin', 'instance'] })
    await carillon.request('DELETE', `/v1/api-keys/${id}`)
    await expectDenied(key, 401, 'unauthenticated')
  })

  it('denies a key whose scopes are NULL', { tags: 'S002-24' }, () =>
    expectDenied(scopeless.key, 403, 'forbidden'),
  )

  it('denies a key with an empty list of scopes', { tags: 'S002-24' }, async () => {
    await expectDenied((await carillon.createKey({ name: 'empty', scopes: [] })).key, 403, 'forbidden')
  })

  it('lets the scope it names through and no other', { tags: 'S002-24' }, async () => {
    const keys = new Map<Scope, { only: string; allBut: string }>()
    for (const scope of SCOPES) {
      const others = SCOPES.filter(other => other !== scope && other !== 'admin')
      const only = await carillon.createKey({ name: 'only', scopes: [scope] })
      const allBut = await carillon.createKey({ name: 'all but', scopes: others })
      keys.set(scope, { only: only.key, allBut: allBut.key })
    }
    for (const operation of operations()) {
      const scope = await neededScope(operation)
      const { only, allBut } = keys.get(scope)!
      expect([operation, (await ask(operation, allBut)).status]).toEqual([operation, 403])
      expect([operation, [401, 403].includes((await ask(operation, only)).status)]).toEqual([
        operation,
        false,
      ])
    }
  })

  it('is covered by a scope that says read for reading and write for changing', async () => {
    for (const operation of operations()) {
      const scope = await neededScope(operation)
      if (operation.method === 'GET') continue
      expect([operation, scope]).toEqual([operation, expect.stringMatching(/:(write|invoke)$|^instance$/)])
    }
  })
})

it('every operation about sessions denies a caller without one, whatever its key', async () => {
  const before = await carillon.rowCounts()
  for (const { name, method, path, isForSessions } of operationsOf(carillon.api)) {
    if (!isForSessions) continue
    const asked = { method, path: path.replace('{id}', '01900000-0000-7000-8000-000000000000') }
    for (const key of [null, carillon.key])
      expect([name, problemOf(await ask(asked, key)).code]).toEqual([name, 'unauthenticated'])
  }
  expect(await carillon.rowCounts()).toEqual(before)
})

describe('the authorization header', () => {
  it.each([
    ['', 401],
    ['Bearer', 401],
    ['Basic dXNlcjpwYXNz', 401],
    ['Bearer two words', 401],
    ['bearer KEY', 200],
    ['Bearer KEY', 200],
  ])('"%s" gives %i', async (header, status) => {
    const headers = { authorization: header.replace('KEY', carillon.key) }
    expect((await carillon.request('GET', '/v1/records', { key: null, headers })).status).toBe(status)
  })
})

describe('public operations', () => {
  it('need no key', async () => {
    const paths = operationsOf(carillon.api).flatMap(({ path }) => (path.startsWith('/v1/') ? [] : [path]))
    expect(paths).toContain('/healthz')
    for (const path of [...paths, '/openapi.json'])
      expect([path, (await carillon.request('GET', path, { key: null })).status]).toEqual([path, 200])
  })
})
