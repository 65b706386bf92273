import { ERRORS, Problem } from '@carillon/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'
import { operationsOf } from '../../../test/operations.ts'
import { createKeyDirectory } from '../../oversight/api-keys/api-keys.ts'
import { createPool } from '../database/pool.ts'
import { type App, createHttpServer } from './server.ts'

const carillon = useCarillon()

/** RFC 9457, one of our codes, and the status it promises. */
function expectProblem(answer: Answer, code: keyof typeof ERRORS): Problem {
  const problem = Problem.parse(problemOf(answer))
  expect(problem).toMatchObject({ code, ...ERRORS[code], type: `urn:carillon:problem:${code}` })
  expect(answer.status).toBe(ERRORS[code].status)
  expect(answer.headers['x-request-id']).toBe(problem.request_id)
  return problem
}

describe('an answer that is not a success', () => {
  it.each([
    ['an unknown path', 'GET', '/v1/nothing', 'not_found'],
    ['a method nobody serves', 'DELETE', '/v1/records', 'method_not_allowed'],
    ['a method nobody serves on an id', 'POST', '/v1/users/ada', 'method_not_allowed'],
    ['a broken escape', 'GET', '/v1/users/%zz', 'invalid_request'],
    ['an id that is none', 'GET', '/v1/records/7', 'invalid_request'],
    ['a NUL in a filter', 'GET', '/v1/records?producer=%00', 'invalid_request'],
    ['a NUL in a path', 'GET', '/v1/users/%00', 'invalid_request'],
    ['an unknown parameter', 'GET', '/v1/records?produzer=x', 'invalid_request'],
    ['a repeated parameter', 'GET', '/v1/records?producer=a&producer=b', 'invalid_request'],
    ['an id longer than any', 'GET', `/v1/users/${'x'.repeat(400)}`, 'invalid_request'],
    ['a path longer than any', 'GET', `/v1/users/${'x'.repeat(4000)}`, 'invalid_request'],
  ] as const)('is a problem for %s', async (_name, method, path, code) => {
    const answer = await carillon.request(method, path)
    expectProblem(answer, code)
  })

  it.each([
    ['/v1/records?producer=%00', 'producer'],
    ['/v1/dead-letters?template=a%00b&limit=1', 'template'],
    ['/v1/streams/a%00b', 'name'],
    ['/v1/users/a%00b/devices', 'id'],
  ])('names the field of %s that cannot be stored', async (path, field) => {
    const problem = expectProblem(await carillon.request('GET', path), 'invalid_request')
    expect(problem.errors?.map(error => error.field)).toEqual([field])
  })

  it('names the methods that are allowed', async () => {
    const answer = await carillon.request('POST', '/v1/users/ada')
    expect(String(answer.headers.allow).split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT'])
  })

  it('tells how to authenticate', async () => {
    const answer = await carillon.request('GET', '/v1/records', { key: null })
    expect(expectProblem(answer, 'unauthenticated').detail).toContain('Authorization: Bearer')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  it('of every operation with a wrong body, parameter or id is a problem', async () => {
    for (const { name, method, path } of operationsOf(carillon.api)) {
      const answer = await carillon.request(method, `${path.replace(/\{[^}]+\}/g, '0')}?surprise=1`, {
        ...(method !== 'GET' && { rawBody: '[["surprise"]]' }),
      })
      if (answer.status >= 400)
        expect([name, Problem.safeParse(problemOf(answer)).success]).toEqual([name, true])
      expect([name, answer.status < 500]).toEqual([name, true])
    }
  })

  it('does not reveal what went wrong inside', async () => {
    await carillon.pool.query('alter table users rename to users_hidden')
    const answer = await carillon.request('GET', '/v1/users')
    await carillon.pool.query('alter table users_hidden rename to users')
    expectProblem(answer, 'internal')
    expect(JSON.stringify(answer.body)).not.toMatch(/users|relation|select/i)
  })
})

describe('without a database', () => {
  const pool = createPool('postgres://nobody@127.0.0.1:1/none')
  let app: App

  beforeAll(async () => {
    const keys = createKeyDirectory(pool, Date.now, 0)
    app = await createHttpServer({
      log: pino({ level: 'silent' }),
      authenticate: key => keys.authenticate(key),
    })
    const schema = { response: { 200: z.string() } }
    app.get('/v1/anything', { config: { scope: 'admin' }, schema }, async () => 'reached')
  })
  afterAll(async () => {
    await app.close()
    await pool.end()
  })

  it('answers unavailable, and says when to try again', { tags: 'S000-34' }, async () => {
    const response = await app.inject({ url: '/v1/anything', headers: { authorization: 'Bearer ck_any' } })
    const { headers, statusCode: status } = response
    expectProblem({ status, headers, body: response.json() }, 'unavailable')
    expect(headers['retry-after']).toBe('1')
    expect(response.body).not.toContain('ECONNREFUSED')
  })
})
