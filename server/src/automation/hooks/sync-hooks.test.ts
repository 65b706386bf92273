/** Http triggers whose caller waits for the script. */
import type { CreatedHttpTrigger } from '@carillon/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type App, createHttpServer } from '../../platform/http/server.ts'
import type { TriggerOfRun } from '../triggers/triggers.ts'
import { hookRoutes } from './routes.ts'
import type { Reply } from './script-reply.ts'

const carillon = useCarillon()
const asked: { trigger: TriggerOfRun; data: string }[] = []
let answer: Reply | Refusal
let woken = 0
let app: App
let hook: CreatedHttpTrigger

beforeAll(async () => {
  app = await createHttpServer({
    log: pino({ level: 'silent' }),
    authenticate: async () => undefined,
    checkAnswers: true,
  })
  hookRoutes(app, {
    pool: carillon.pool,
    limiter: { takeRequest: () => undefined } as never,
    onDue: () => woken++,
    async runTrigger(trigger, data) {
      asked.push({ trigger, data })
      if (answer instanceof Refusal) throw answer
      return answer
    },
  })
  const script_id = await addScript(carillon.pool, carillon.tenantId)
  const body = { name: 'A hook', kind: 'http', script_id, dispatch_mode: 'sync' }
  hook = (await carillon.request('POST', '/v1/triggers', { body })).body
})
afterAll(() => app.close())

const call = (payload = '') => app.inject({ method: 'POST', url: new URL(hook.url).pathname, payload })
const callWith = (result: unknown) => {
  answer = { status: 200, headers: {}, body: JSON.stringify(result) }
  return call()
}

describe('a sync http trigger', () => {
  it('hands the event to the runner, with whom it runs as, and enqueues nothing itself', async () => {
    answer = { status: 200, headers: {}, body: '{"n":1}' }
    const response = await call('hello')
    expect([response.statusCode, response.json()]).toEqual([200, { n: 1 }])
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(asked.at(-1)!.trigger).toMatchObject({
      ...{ id: hook.id, tenant_id: carillon.tenantId, script_id: hook.script_id, dispatch_mode: 'sync' },
      registrant: { scopes: ['admin', 'instance'] },
    })
    expect(JSON.parse(asked.at(-1)!.data)).toMatchObject({ method: 'POST', body: 'hello' })
    expect((await carillon.rowCounts()).outbox).toBe(0)
  })

  it('wakes nobody, unlike one that is async: the runner does', async () => {
    await callWith(null)
    expect(woken).toBe(0)
    const body = { name: 'Another', kind: 'http', script_id: hook.script_id }
    const { url } = (await carillon.request('POST', '/v1/triggers', { body })).body
    const response = await app.inject({ method: 'POST', url: new URL(url).pathname })
    expect([response.statusCode, woken]).toEqual([202, 1])
  })

  it('passes failures on as they are', async () => {
    answer = { status: 504, headers: { 'content-type': 'application/json' }, body: '{"late":true}' }
    expect((await call()).statusCode).toBe(504)
    answer = new Refusal('unavailable', 'No free slot.')
    expect((await call()).json()).toMatchObject({ status: 503, code: 'unavailable' })
  })
})

describe('the answer of a script', () => {
  it('is used as it is if it says status, headers and body', async () => {
    const headers = { 'Content-Type': 'text/html', 'X-Thing': '1', 'Cache-Control': 'max-age=60' }
    const response = await callWith({ status: 201, headers, body: '<h1>Hello</h1>' })
    expect([response.statusCode, response.body]).toEqual([201, '<h1>Hello</h1>'])
    expect(response.headers).toMatchObject({
      ...{ 'content-type': 'text/html', 'x-thing': '1', 'cache-control': 'max-age=60' },
    })
  })

  it('can redirect, and be empty', async () => {
    const redirect = await callWith({ status: 302, headers: { location: 'https://example.com/' } })
    expect([redirect.statusCode, redirect.headers.location]).toEqual([302, 'https://example.com/'])
    const within = await callWith({ status: 303, headers: { location: '/thanks?order=7' } })
    expect(within.headers.location).toBe('/thanks?order=7')
    const empty = await callWith({ status: 204, body: 'ignored' })
    expect([empty.statusCode, empty.body]).toEqual([204, ''])
  })

  it.each([
    ['null', null],
    ['a text', 'hello'],
    ['other fields', { status: 200, body: 'x', extra: 1 }],
    ['no status', { body: 'x' }],
    ['a status that is none', { status: 42 }],
    ['a status that only a connection has', { status: 101 }],
    ['a body that is no text', { status: 200, body: { a: 1 } }],
  ])('is JSON if it has %s', async (_what, result) => {
    const response = await callWith(result)
    expect([response.statusCode, response.json()]).toEqual([200, result])
    expect(response.headers['content-type']).toMatch(/^application\/json/)
  })

  it('never acts as a page of our origin', async () => {
    const headers = { 'content-type': 'text/html', 'content-security-policy': 'none', 'set-cookie': 'a=1' }
    const response = await callWith({ status: 200, headers, body: '<script>alert(1)</script>' })
    expect(response.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none';/),
    })
    expect(response.headers).not.toHaveProperty('set-cookie')
  })

  it.each([
    'text/javascript',
    'Application/X-JavaScript; charset=utf-8',
    'text/css',
    'text/plain, text/ecmascript',
    'multipart/x-mixed-replace; boundary=b',
  ])('is no code that a page of our origin could load, such as %s', async type => {
    const response = await callWith({ status: 200, headers: { 'content-type': type }, body: 'x' })
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it.each([
    ['of a proxy', { 'x-accel-redirect': '/internal', 'X-Sendfile': '/etc/passwd' }],
    ['of other proxies', { 'x-litespeed-location': '/', 'x-envoy-immediate-health-check-fail': 'true' }],
    ['that lead nowhere', { location: 'javascript:alert(1)' }],
    ['that lead nowhere in disguise', { location: ' \tJava\tScript:alert(1)' }],
    [
      'of a browser',
      { 'access-control-allow-origin': '*', 'x-frame-options': 'ALLOW', 'service-worker-allowed': '/' },
    ],
    ['of the connection', { connection: 'close', 'transfer-encoding': 'chunked', 'content-length': '1' }],
    ['with a line break', { 'x-thing': 'a\r\nset-cookie: b=1' }],
    ['with a broken name', { 'x-thing: 1\r\nx': '1', 'x-': '1' }],
  ])('has no headers %s', async (_what, headers) => {
    const plain = (await callWith({ status: 200, headers: {}, body: 'x' })).headers
    const response = await callWith({ status: 200, headers, body: 'x' })
    expect(response.statusCode).toBe(200)
    expect(Object.keys(response.headers).sort()).toEqual(Object.keys(plain).sort())
    expect(response.headers['content-length']).toBe('1')
  })
})
