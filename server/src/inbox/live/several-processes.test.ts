/** Whole instances on one database: what one writes, people hear who are connected to the other. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { openStream } from '../../../test/event-stream.ts'
import { type Carillon, startCarillon } from '../../app.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { newMasterKey } from '../../platform/secrets/keyring.ts'
import { inboxOf } from '../notifications/inbox.fixture.ts'

const carillon = useCarillon()
const inbox = inboxOf(carillon)
const dataDir = mkdtempSync(join(tmpdir(), 'carillon-live-'))
const lines: string[] = []
let [first, second]: Carillon[] = []

beforeAll(async () => {
  await carillon.putUser('ada')
  const config = loadConfig({
    DATABASE_URL: carillon.url,
    PORT: '0',
    CARILLON_DATA_DIR: dataDir,
    CARILLON_MASTER_KEY: newMasterKey(),
    CARILLON_REQUEST_LOG_LEVEL: 'info',
    CARILLON_WRONG_KEYS_PER_MINUTE: '3',
  })
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  first = await startCarillon({ config, roles: ['api', 'delivery', 'fanout'], log })
  second = await startCarillon({ config, roles: ['api'], log })
})
afterAll(async () => {
  await first?.stop()
  await second?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function call(base: string, method: string, path: string, key: string, body?: object) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(method !== 'GET' && { 'content-type': 'application/json' }),
  }
  const sent = method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }
  const answer = await fetch(base + path, { method, headers, ...sent })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

it('a change in one process reaches the streams of all, whose token works in all and is never logged', {
  tags: 'S004-19',
}, async () => {
  const [here, there] = [first!.url!, second!.url!]
  const { token } = (await call(here, 'POST', '/v1/users/ada/token', carillon.key)).body
  const path = `/v1/inbox/stream?access_token=${token}`
  const streams = [await openStream(here, path), await openStream(there, path)]
  await Promise.all(streams.map(stream => stream.event(0)))

  for (const base of [here, there])
    expect(await (await fetch(`${base}/metrics`)).text()).toContain('\ncarillon_live_connections 1\n')

  const intent = {
    notification_type: 't',
    audience: { kind: 'users', user_ids: ['ada'] },
    channels: ['in_app'],
    payload: { title: 'Hello' },
  }
  expect((await call(there, 'POST', '/v1/intents', carillon.key, intent)).status).toBe(202)
  const told = await Promise.all(streams.map(stream => stream.event(1)))
  const [item] = await inbox.list('ada')
  for (const { data } of told) expect(data).toMatchObject({ unread: 1, changed: [item.id] })

  expect((await call(there, 'POST', `/v1/inbox/${item.id}/read`, token)).status).toBe(200)
  for (const stream of streams)
    expect((await stream.event(2)).data).toMatchObject({ unread: 0, changed: [item.id] })

  // What happens in a topic that she watches, chosen in her own browser.
  await call(here, 'PUT', '/v1/topics/repo', carillon.key)
  await call(here, 'PUT', '/v1/users/bob', carillon.key)
  expect((await call(there, 'PUT', '/v1/topics/repo/watch', token, { level: 'all' })).status).toBe(200)
  const event = { kind: 'issue_created', topic: 'repo', actor_id: 'bob', thread: { kind: 'issue', id: '7' } }
  expect((await call(there, 'POST', '/v1/events', carillon.key, event)).status).toBe(202)
  for (const stream of streams) expect((await stream.event(3)).data).toMatchObject({ unread: 1 })
  await call(there, 'POST', '/v1/inbox/read-all', token)
  for (const stream of streams) expect((await stream.event(4)).data).toMatchObject({ unread: 0 })

  // A process that stops says so; whoever goes on elsewhere has missed nothing.
  const [id] = await inbox.add({})
  await second!.stop()
  second = undefined
  await expect.poll(streams[1]!.isOver).toBe(true)
  expect(streams[1]!.events().at(-1)).toMatchObject({ event: 'closing' })
  const seen = streams[1]!.events().findLast(event => event.id !== undefined)!
  const again = await openStream(here, path, { 'last-event-id': seen.id! })
  const { data } = await again.event(0)
  expect([data.unread, [...seen.data.changed, ...data.changed]]).toEqual([1, expect.arrayContaining([id])])
  for (const stream of [streams[0]!, again]) stream.close()
  const openStreams = async () =>
    /\ncarillon_live_connections (\d+)\n/.exec(await (await fetch(`${here}/metrics`)).text())?.[1]
  await expect.poll(openStreams).toBe('0')

  expect(lines.filter(line => line.includes('/v1/inbox/stream')).length).toBeGreaterThan(0)
  expect(lines.filter(line => line.includes(token) || line.includes('cut_'))).toEqual([])
  const { rows } = await carillon.pool.query('select to_jsonb(a)::text as text from audit_logs a')
  expect(rows.filter(({ text }) => text.includes('cut_'))).toEqual([])
})

it('ended tokens do not count as guesses, forged ones do, and valid ones keep working', async () => {
  const here = first!.url!
  const unread = async (token: string) => (await call(here, 'GET', '/v1/inbox/unread-count', token)).status
  const make = async (ttl_seconds: number) =>
    (await call(here, 'POST', '/v1/users/ada/token', carillon.key, { ttl_seconds })).body.token
  const short = await make(1)
  await expect.poll(() => unread(short)).toBe(401)
  for (let i = 0; i < 5; i++) expect(await unread(short)).toBe(401)
  const forged = `${short.slice(0, -4)}AAAA`
  for (const status of [401, 401, 401, 429]) expect(await unread(forged)).toBe(status)
  expect(await unread(await make(60))).toBe(200)
})
