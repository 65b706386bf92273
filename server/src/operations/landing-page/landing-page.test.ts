import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createPool, type Pool } from '../../platform/database/pool.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { type LandingFacts, landingPageRoutes } from './routes.ts'

const carillon = useCarillon()
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function show(facts: Partial<LandingFacts> = {}, headers: Record<string, string> = {}) {
  const app = await createHttpServer({ log: pino({ level: 'silent' }), authenticate: async () => undefined })
  opened.push(app)
  landingPageRoutes(app, {
    pool: carillon.pool,
    isServing: () => true,
    roles: ['api', 'delivery'],
    publicUrl: '',
    isPrivate: false,
    hasPlayground: false,
    rememberMs: 0,
    ...facts,
  })
  return app.inject({ url: '/', headers: { accept: BROWSER, host: 'localhost:8420', ...headers } })
}

it('the landing page says what runs, where to read on and what to do next, without scripts', async () => {
  const { statusCode, headers, body } = await carillon.api.inject({
    url: '/',
    headers: { accept: BROWSER },
  })
  expect([statusCode, headers['content-type'], headers.vary]).toEqual([
    200,
    'text/html; charset=utf-8',
    'accept',
  ])
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(body).not.toContain('<script')
  expect(body).toMatch(/<h1>Carillon <span class="muted">\d+\.\d+\.\d+<\/span><\/h1>/)
  for (const path of ['docs/', 'openapi.json', 'healthz', 'readyz', 'metrics']) {
    expect(body).toContain(`href="${path}"`)
    expect([path, (await carillon.api.inject(`/${path}`)).statusCode]).toEqual([path, 200])
  }
})

it('the commands on the landing page work as they stand', async () => {
  const { body } = await show({ publicUrl: 'https://carillon.example.com' })
  const [, json] = /https:\/\/carillon\.example\.com\/v1\/intents [\s\S]+?-d &#39;([\s\S]+?)&#39;/.exec(body)!
  const intent = JSON.parse(json!.replaceAll('&quot;', '"'))
  expect((await carillon.request('POST', '/v1/intents', { body: intent })).status).toBe(202)
  expect(body).toContain('curl -sS https://carillon.example.com/v1/captured-messages')
})

it('the landing page tells the roles, and whether messages leave the machine', async () => {
  const before = (await show()).body
  expect(before).toContain('<dd>api, delivery</dd>')
  expect(before).toContain('Captured: no provider is set up')
  const provider = {
    name: 'mail',
    kind: 'postmark',
    config: { from: 'shop@example.org' },
    secrets: { server_token: 'secret-token' },
  }
  const { body } = await carillon.request('POST', '/v1/providers', { body: provider })
  const after = (await show()).body
  expect(after).toContain('Sent through providers')
  expect(after).not.toMatch(/postmark|secret-token|example\.org/)
  await carillon.request('DELETE', `/v1/providers/${body.id}`)
})

it('the landing page hides roles and providers where the metrics need a key', async () => {
  const { body } = await show({ isPrivate: true })
  expect(body).toContain('Ready')
  expect(body).not.toMatch(/api, delivery|Captured: /)
})

it('the landing page says how to get into the playground where there is one', async () => {
  expect((await show({ hasPlayground: true })).body).toContain('npx carillon playground')
  expect((await show()).body).not.toContain('playground')
})

it('the landing page says why the process is not ready', async () => {
  const unreachable = createPool('postgres://nobody@127.0.0.1:1/none')
  opened.push({ close: () => unreachable.end() })
  const text = async (facts: Partial<LandingFacts>) => {
    const { statusCode, body } = await show(facts)
    return [statusCode, /Not ready: ([^<]+)/.exec(body)?.[1]]
  }
  expect(await text({ pool: unreachable })).toEqual([200, 'database unreachable'])
  expect(await text({ isServing: () => false })).toEqual([200, 'stopping'])
})

it('the landing page tells of migrations that the database does not have', async () => {
  const { rows } = await carillon.pool.query(
    'delete from pgmigrations where id = (select max(id) from pgmigrations) returning *',
  )
  expect((await show()).body).toContain('Not ready: migrations are pending')
  await carillon.pool.query(
    'insert into pgmigrations select * from json_populate_record(null::pgmigrations, $1)',
    [JSON.stringify(rows[0])],
  )
  expect((await show()).body).toContain('The schema matches this version')
})

it('the landing page asks the database once while it remembers the answer', async () => {
  let queries = 0
  const counting = {
    query: (text: string) => {
      queries++
      return carillon.pool.query(text)
    },
  } as unknown as Pool
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    authenticate: async () => undefined,
  })
  opened.push(app)
  const facts = {
    isServing: () => true,
    roles: [],
    publicUrl: '',
    isPrivate: false,
    hasPlayground: false,
    rememberMs: 60_000,
  }
  landingPageRoutes(app, { pool: counting, ...facts })
  const ask = () => app.inject({ url: '/', headers: { accept: BROWSER } })
  await ask()
  const first = queries
  for (let i = 0; i < 5; i++) await ask()
  expect([first > 0, queries]).toEqual([true, first])
})

it.each(['evil.example.com"><script>', 'local host', "x'$(reboot)"])(
  'the landing page does not show the host %j',
  async host => {
    const { body } = await show({}, { host })
    expect(body).toContain('curl -sS http://localhost:8420/v1/intents')
    expect(body).not.toContain(host)
  },
)

it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0, */*'])(
  '/ answers 404 to a program that accepts %s',
  async accept => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    const answer = await carillon.request('GET', '/', { key: null, headers })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  },
)
