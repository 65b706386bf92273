import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { useCarillon } from '../../../test/carillon.ts'
import { type App, createHttpServer } from '../../platform/http/server.ts'
import { createKeyDirectory } from './api-keys.ts'
import { guardKeys, reportWrongKeys } from './wrong-keys.ts'

const carillon = useCarillon()
let app: App
let lookups = 0
const clock = { ms: 0 }
const answers: string[] = []
const throttled: [string, number][] = []

beforeAll(async () => {
  const keys = createKeyDirectory(carillon.pool, Date.now, 0)
  const counted = {
    ...keys,
    authenticate(key: string) {
      lookups++
      return keys.authenticate(key)
    },
  }
  const guarded = guardKeys(counted, {
    perMinute: 3,
    now: () => clock.ms,
    onWrongKey: answer => answers.push(answer),
    onThrottled: (...told) => throttled.push(told),
  })
  app = await createHttpServer({ log: pino({ level: 'silent' }), authenticate: guarded.authenticate })
  const schema = { response: { 200: z.string() } }
  app.get('/v1/anything', { config: { scope: 'admin' }, schema }, async () => 'reached')
})
afterAll(() => app.close())

const ask = (key: string, remoteAddress: string) =>
  app.inject({ url: '/v1/anything', remoteAddress, headers: { authorization: `Bearer ${key}` } })
const status = async (key: string, address: string) => (await ask(key, address)).statusCode

it('an address that sends wrong keys has to wait, costs no more queries and is reported once', async () => {
  const seen = []
  for (let i = 0; i < 6; i++) seen.push(await status(`ck_wrong${i}`, '192.0.2.1'))
  expect(seen).toEqual([401, 401, 401, 429, 429, 429])
  expect(lookups).toBe(3)
  expect(answers.splice(0)).toEqual([...Array(3).fill('refused'), ...Array(3).fill('throttled')])
  expect(throttled.splice(0)).toEqual([['192.0.2.1', 3]])
  const refused = await ask('ck_wrong', '192.0.2.1')
  expect(refused.headers['retry-after']).toBe('60')
  expect(refused.json()).toMatchObject({ code: 'rate_limited' })
})

it('a throttled address may try keys again after a minute; others never have to wait', async () => {
  expect(await status('ck_wrong', '192.0.2.2')).toBe(401)
  clock.ms += 60_000
  expect(await status('ck_wrong', '192.0.2.1')).toBe(401)
})

it('a key that worked still passes from a throttled address until the key is revoked', async () => {
  const { id, key } = await carillon.createKey({ name: 'shares the address', scopes: ['admin'] })
  const late = await carillon.createKey({ name: 'never used before', scopes: ['admin'] })
  expect(await status(key, '192.0.2.3')).toBe(200)
  for (let i = 0; i < 3; i++) await status('ck_wrong', '192.0.2.3')
  expect([await status(key, '192.0.2.3'), await status(late.key, '192.0.2.3')]).toEqual([200, 429])
  expect(await status(late.key, '192.0.2.4')).toBe(200)
  await carillon.request('DELETE', `/v1/api-keys/${id}`)
  expect([await status(key, '192.0.2.3'), await status(key, '192.0.2.3')]).toEqual([401, 429])
})

it('wrong keys are counted per IPv6 network and per IPv4 address in any notation', async () => {
  for (let i = 0; i < 3; i++) await status('ck_wrong', `2001:db8::${i}`)
  expect([await status('ck_wrong', '2001:db8::9'), await status('ck_wrong', '2001:db8:0:1::1')]).toEqual([
    429, 401,
  ])
  for (let i = 0; i < 3; i++) await status('ck_wrong', '::ffff:192.0.2.5')
  expect(await status('ck_wrong', '192.0.2.5')).toBe(429)
})

it('wrong keys raise one system event of the instance', async () => {
  await reportWrongKeys(carillon.pool, '192.0.2.1', 3)
  await reportWrongKeys(carillon.pool, '192.0.2.2', 3)
  const events = await carillon.readAll('/v1/system-events?event_type=wrong_api_keys')
  expect(events).toMatchObject([{ tenant_id: null, details: { count: 2, last_address: '192.0.2.2' } }])
})
