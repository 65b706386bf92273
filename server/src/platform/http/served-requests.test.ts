import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createHttpServer, type HttpOptions } from './server.ts'

const principal = {
  tenant_id: 'tenant-1',
  api_key_id: 'key-1',
  user_id: null,
  scopes: ['records:read' as const],
  requests_per_minute: null,
  notifications_per_day: null,
  producers: null,
  expires_at: null,
  quota: { requests_per_minute: null, is_storage_full: false },
}

async function serve(requestLogLevel?: HttpOptions['requestLogLevel']) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(JSON.parse(line)) })
  const app = await createHttpServer({
    log,
    ...(requestLogLevel && { requestLogLevel }),
    authenticate: async key => (key === 'good' ? principal : undefined),
  })
  onTestFinished(() => app.close())
  const schema = { response: { 200: z.string() } }
  app.get('/things/:id', { config: { scope: 'records:read' }, schema }, async () => 'a thing')
  app.get('/broken', { config: { scope: 'public' }, schema }, () =>
    Promise.reject(new Error('broken inside')),
  )
  app.get('/probe', { config: { scope: 'public', isProbe: true }, schema }, async () => 'ok')
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { authorization: 'Bearer good', ...headers } })
  return { get, lines }
}

describe('the log', () => {
  it('has one line per request, with the pattern instead of the path', async () => {
    const { get, lines } = await serve('info')
    const { headers } = await get('/things/ada@example.com?cursor=secret')
    expect(lines).toEqual([
      expect.objectContaining({
        level: 30,
        msg: 'request',
        request_id: headers['x-request-id'],
        method: 'GET',
        route: '/things/:id',
        status: 200,
        duration_ms: expect.any(Number),
        tenant_id: 'tenant-1',
        api_key_id: 'key-1',
      }),
    ])
    expect(JSON.stringify(lines)).not.toMatch(/ada|secret|good/)
  })

  it.each([
    ['an unknown path', '/nowhere/ada', 404, ''],
    ['a wrong key', '/things/1', 401, '/things/:id'],
  ])('has one for %s too', async (_what, url, status, route) => {
    const { get, lines } = await serve('info')
    await get(url, { authorization: 'Bearer bad' })
    expect(lines).toMatchObject([{ msg: 'request', status, route }])
    expect(lines[0]).not.toHaveProperty('tenant_id')
  })

  it('has the failure under the same id', async () => {
    const { get, lines } = await serve('info')
    await get('/broken', { 'x-request-id': 'mine' })
    expect(lines).toMatchObject([
      { level: 50, msg: 'request failed', request_id: 'mine' },
      { level: 30, msg: 'request', request_id: 'mine', status: 500 },
    ])
  })

  it.each([
    ['warn', [40, 20]],
    ['info', [30, 20]],
    ['debug', [20, 20]],
    ['trace', [10, 10]],
    ['silent', []],
    [undefined, []],
  ] as const)('has them at the level %s, and probes at debug', async (level, expected) => {
    const { get, lines } = await serve(level)
    await get('/things/1')
    await get('/probe')
    expect(lines.map(line => line.level)).toEqual(expected)
  })
})

describe('the id of a request', () => {
  it.each([
    'a',
    '6a3c1c9e-8f0a-4f7e-9a52-1f2d3c4b5a69',
    'Root=1-67891233-abcdef012345678912345678',
    'gateway/7:42@eu.west+1',
    'x'.repeat(128),
  ])('%s of the caller is kept', async id => {
    const { get } = await serve()
    expect((await get('/things/1', { 'x-request-id': id })).headers['x-request-id']).toBe(id)
    const refused = await get('/nowhere', { 'x-request-id': id })
    expect(refused.json().request_id).toBe(id)
  })

  it.each(['', ' ', 'two words', 'x'.repeat(129), '-starts-with-a-dash', 'a\tb', '<script>', 'ä'])(
    '%j of the caller is replaced',
    async id => {
      const { get } = await serve()
      const { headers } = await get('/things/1', { 'x-request-id': id })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    },
  )
})
