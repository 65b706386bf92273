import type { PlaygroundOutcome } from '@carillon/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'
import { fanOut } from '../../../test/fanout.ts'
import { signToken } from '../../content/signed-links/signed-links.ts'
import { orderAllEvents } from '../../events/domain-events/orderer.ts'
import { createMessageStore } from '../../providers/captured-messages/captured-messages.ts'
import { createBuiltIns } from '../../providers/services/built-in.ts'
import { playgroundLink } from './visitors.ts'

const carillon = useCarillon()
const EVENT = {
  kind: 'playground_comment',
  actor_id: 'playground-margaret',
  topic: 'playground-tower',
  thread: { kind: 'issue', id: 'playground-1', title: 'The bell rings twice', author_id: 'playground-ada' },
  payload: { body: 'At noon, too.' },
}
const INTENT = {
  notification_type: 'playground',
  audience: { kind: 'topic', topic: 'playground-tower' },
  channels: ['in_app', 'email', 'sms', 'push'],
  payload: { title: 'Hello', body: '<b>Hello</b>' },
}
const MAIL = {
  name: 'mail',
  kind: 'postmark',
  config: { from: 'shop@example.org' },
  secrets: { server_token: 'secret' },
}

const tokenOf = (tenantId: string, now = Date.now()) =>
  playgroundLink(carillon.providers.keyring, 'http://localhost', tenantId, now).split('#')[1]!
const visit = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, token = tokenOf(carillon.tenantId) }: { body?: object; token?: string } = {},
): Promise<Answer> => carillon.request(method, `/playground/${path}`, { key: token, ...(body && { body }) })

/** Captures what is due, as a fresh install does. */
async function capture(notificationId: string): Promise<void> {
  const builtIn = createBuiltIns({
    saveCaptured: createMessageStore(carillon.pool),
    deliverInApp: async () => {},
  })
  const worker = carillon.deliver(builtIn('email'))
  await carillon.settled(notificationId, 'sent')
  await worker.stop()
}

const recordsOf = (eventId: string) => carillon.readAll(`/v1/records?event_id=${eventId}`)

afterEach(async () => {
  await visit('DELETE', 'stage')
})

it('the playground page has no inline script, loads only from here and may not be framed', async () => {
  const { status, headers, body } = await carillon.request('GET', '/playground', { key: null })
  expect(status).toBe(200)
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(body).not.toMatch(/<script(?![^>]* src=)|style=|onclick/)
  const [, src] = /src="([^"]+)"/.exec(body)!
  expect((await carillon.request('GET', `/${src}`, { key: null })).status).toBe(200)
})

describe('a visitor without a valid link', () => {
  const ROUTES = [
    ['GET', 'stage'],
    ['DELETE', 'stage'],
    ['POST', 'events', EVENT],
    ['GET', 'events/01900000-0000-7000-8000-000000000000'],
    ['POST', 'intents', INTENT],
    ['GET', 'intents/01900000-0000-7000-8000-000000000000'],
    ['POST', 'tokens', { user_id: 'playground-ada' }],
  ] as const

  it.each(ROUTES)(
    'a visitor without a valid link is refused at %s %s, and nothing is stored',
    async (method, path, body?: object) => {
      const before = await carillon.rowCounts()
      const forged = tokenOf(carillon.tenantId).replace(/.$/, last => (last === 'A' ? 'E' : 'A'))
      const claim = { tenant_id: carillon.tenantId, user_id: 'ada' }
      const other = signToken(carillon.providers.keyring, 'preferences', claim, new Date(Date.now() + 60_000))
      const expired = tokenOf(carillon.tenantId, Date.now() - 86_400_001)
      for (const token of [forged, other, expired, carillon.key, 'nonsense']) {
        const problem = problemOf(await visit(method, path, { token, ...(body && { body }) }))
        expect([problem.status, problem.code]).toEqual([401, 'unauthenticated'])
      }
      const without = await carillon.request(method, `/playground/${path}`, {
        key: null,
        ...(body && { body }),
      })
      expect(problemOf(without).detail).toContain('npx carillon playground')
      expect(await carillon.rowCounts()).toEqual(before)
    },
  )

  it('a visitor without a link is told nothing about the body of the request', async () => {
    const answer = await carillon.request('POST', '/playground/events', { key: null, body: { nonsense: 1 } })
    expect(problemOf(answer)).toMatchObject({ status: 401, code: 'unauthenticated' })
  })

  it('a visitor learns that a link has expired', async () => {
    const token = tokenOf(carillon.tenantId, Date.now() - 86_400_001)
    expect(problemOf(await visit('GET', 'stage', { token })).detail).toContain('expired')
  })

  it('a link to the playground is no API key, and ends while its tenant is suspended', async () => {
    const token = tokenOf(carillon.tenantId)
    expect((await carillon.request('GET', '/v1/users', { key: token })).status).toBe(401)
    const tenant = await carillon.createTenant('late payer')
    await carillon.request('POST', `/v1/tenants/${tenant.id}/suspend`, { body: { reason: '' } })
    expect((await visit('GET', 'stage', { token: tokenOf(tenant.id) })).body.code).toBe('tenant_suspended')
  })
})

it('the playground creates nobody before something is sent, and leaves nobody after starting over', async () => {
  const people = async () =>
    (await carillon.readAll('/v1/users')).map(({ id }) => id).filter(id => id.startsWith('playground'))
  expect((await visit('GET', 'stage')).body).toMatchObject({ is_set: false, exits: [] })
  expect(await people()).toEqual([])
  expect((await visit('POST', 'events', { body: EVENT })).status).toBe(202)
  expect((await visit('GET', 'stage')).body.is_set).toBe(true)
  expect(await people()).toEqual(['playground-ada', 'playground-grace', 'playground-margaret'])
  await orderAllEvents(carillon.pool)
  await fanOut(carillon)
  expect((await visit('DELETE', 'stage')).status).toBe(204)
  expect((await visit('GET', 'stage')).body.is_set).toBe(false)
  expect(await people()).toEqual([])
  for (const table of ['topics', 'threads', 'fanout_rules', 'notification_types', 'notifications', 'watches'])
    expect([table, (await carillon.rowCounts())[table]]).toEqual([table, 0])
})

it('the playground says who was told of an event and why, and shows what was captured', async () => {
  const { body: sent } = await visit('POST', 'events', { body: EVENT })
  await orderAllEvents(carillon.pool)
  await fanOut(carillon)
  const before: PlaygroundOutcome = (await visit('GET', `events/${sent.event_id}`)).body
  expect(before.is_settled).toBe(false)
  for (const { notification_id } of await recordsOf(sent.event_id)) await capture(notification_id)
  const outcome: PlaygroundOutcome = (await visit('GET', `events/${sent.event_id}`)).body
  expect(outcome.is_settled).toBe(true)
  const texts = Object.fromEntries(outcome.people.map(({ user_id, text }) => [user_id, text]))
  expect(texts['playground-ada']).toContain('author')
  expect(texts['playground-grace']).toContain('watching')
  const shown = outcome.messages.map(({ user_id, channel, address }) => `${user_id} ${channel} ${address}`)
  expect(shown.sort()).toEqual([
    'playground-ada email ada@playground.example',
    expect.stringMatching(/^playground-ada push/),
    'playground-grace email grace@playground.example',
  ])
})

it('the playground shows a mail in a frame that can do nothing, and only under its signed address', async () => {
  const audience = { kind: 'users', user_ids: ['playground-ada', 'playground-grace'] }
  const { body: sent } = await visit('POST', 'intents', {
    body: { ...INTENT, audience, channels: ['email', 'sms', 'push'] },
  })
  await capture(sent.notification_id)
  const { body }: { body: PlaygroundOutcome } = await visit('GET', `intents/${sent.notification_id}`)
  expect(body.messages.map(({ channel }) => channel).sort()).toEqual([
    'email',
    'email',
    'push',
    'push',
    'sms',
    'sms',
  ])
  const { frame } = body.messages.find(({ channel }) => channel === 'email')!
  const mail = await carillon.request('GET', `/${frame}`, { key: null })
  expect(mail.status).toBe(200)
  expect(mail.headers['content-security-policy']).toBe(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  )
  expect(mail.body).toContain('&lt;b&gt;Hello')
  const [, claim = '', signature] = /mails\/([^.]+)\.(.+)/.exec(frame!)!
  const changed = { ...JSON.parse(Buffer.from(claim, 'base64url').toString()), expires: 9_999_999_999 }
  const forged = Buffer.from(JSON.stringify(changed)).toString('base64url')
  for (const token of [`${forged}.${signature}`, tokenOf(carillon.tenantId), 'nonsense'])
    expect((await carillon.request('GET', `/playground/mails/${token}`, { key: null })).status).toBe(404)
})

it('the playground gives tokens for its own people only', async () => {
  await carillon.putUser('ada')
  expect((await visit('POST', 'tokens', { body: { user_id: 'ada' } })).status).toBe(404)
  await visit('POST', 'events', { body: EVENT })
  const { status, body } = await visit('POST', 'tokens', { body: { user_id: 'playground-ada' } })
  expect(status).toBe(201)
  expect((await carillon.request('GET', '/v1/inbox', { key: body.token })).status).toBe(200)
})

it('the playground tells nothing of what the playground did not send', async () => {
  const id = await carillon.send()
  expect((await visit('GET', `intents/${id}`)).status).toBe(404)
  const { body } = await carillon.request('POST', '/v1/events', { body: { kind: 'issue_created' } })
  expect((await visit('GET', `events/${body.event_id}`)).status).toBe(404)
  const other = await carillon.createTenant('neighbour')
  const { body: sent } = await visit('POST', 'events', { body: EVENT })
  const stranger = { token: tokenOf(other.id) }
  expect((await visit('GET', `events/${sent.event_id}`, stranger)).status).toBe(404)
})

it.each([
  ['audience.user_ids.0', { audience: { kind: 'users', user_ids: ['ada'] } }],
  ['audience.kind', { audience: { kind: 'tenant' } }],
  ['audience.kind', { audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] } }],
  ['audience.topic', { audience: { kind: 'topic', topic: 'shop' } }],
  ['notification_type', { notification_type: 'order_paid' }],
  ['channels.0', { channels: ['webhook'] }],
  ['send_at', { send_at: '2030-01-01T00:00:00Z' }],
  ['email', { email: { cc: ['eve@example.com'] } }],
  ['producer', { producer: 'shop' }],
])('the playground refuses %s of an intent that could reach other people: %j', async (field, change) => {
  const before = await carillon.rowCounts()
  const problem = problemOf(await visit('POST', 'intents', { body: { ...INTENT, ...change } }))
  expect([problem.status, problem.errors?.[0]?.field]).toEqual([400, field])
  expect(await carillon.rowCounts()).toEqual(before)
})

it('the playground refuses a payload of more than 4 KiB', async () => {
  const body = { ...INTENT, payload: { text: 'x'.repeat(5000) } }
  expect(problemOf(await visit('POST', 'intents', { body })).errors?.[0]?.field).toBe('payload')
})

it.each([
  ['kind', { kind: 'issue_created' }],
  ['topic', { topic: 'shop' }],
  ['actor_id', { actor_id: 'ada' }],
  ['relations.mention.0', { relations: { mention: ['ada'] } }],
  ['relations.payer', { relations: { payer: ['playground-ada'] } }],
  ['thread.id', { thread: { kind: 'issue', id: '7' } }],
])('the playground refuses %s of an event that could reach other people: %j', async (field, change) => {
  const problem = problemOf(await visit('POST', 'events', { body: { ...EVENT, ...change } }))
  expect([problem.status, problem.errors?.[0]?.field]).toEqual([400, field])
})

it('the playground does not use a channel with a real provider, in rules and in intents', async () => {
  await visit('POST', 'events', { body: EVENT })
  const { body: provider } = await carillon.request('POST', '/v1/providers', { body: MAIL })
  const { body: stage } = await visit('GET', 'stage')
  expect(stage.channels).toContainEqual({ channel: 'email', is_used: false })
  expect(problemOf(await visit('POST', 'intents', { body: INTENT })).errors?.[0]?.field).toBe('channels.1')
  const { body: sent } = await visit('POST', 'events', { body: EVENT })
  await orderAllEvents(carillon.pool)
  await fanOut(carillon)
  const records = await recordsOf(sent.event_id)
  const routes = await Promise.all(records.map(record => carillon.routesOf(record.notification_id)))
  expect(new Set(routes.flat().map(({ channel }) => channel))).toEqual(new Set(['push']))
  await carillon.request('DELETE', `/v1/providers/${provider.id}`)
  expect((await visit('POST', 'intents', { body: INTENT })).status).toBe(202)
})

it.each([
  ['a webhook', '/v1/webhooks', { url: 'https://example.com/hook', events: ['notification.sent'] }],
  ['a server that is asked', '/v1/visibility-check', { url: 'https://example.com/who' }],
])('the playground sends nothing while the tenant has %s', async (_what, path, input) => {
  const isPut = path.endsWith('check')
  const { body: made, status } = await carillon.request(isPut ? 'PUT' : 'POST', path, { body: input })
  expect(status).toBeLessThan(300)
  const before = await carillon.rowCounts()
  expect((await visit('GET', 'stage')).body.exits).toHaveLength(1)
  for (const [kind, body] of [
    ['events', EVENT],
    ['intents', INTENT],
  ] as const)
    expect(problemOf(await visit('POST', kind, { body })).code).toBe('not_active')
  expect(await carillon.rowCounts()).toEqual(before)
  await carillon.request('DELETE', isPut ? path : `${path}/${made.id}`)
})

it('requests to the playground count against user_requests_per_minute', async () => {
  const { id, key } = await carillon.createTenant('limited')
  await carillon.request('PATCH', '/v1/tenant', { key, body: { user_requests_per_minute: 2 } })
  const token = tokenOf(id)
  for (let i = 0; i < 2; i++) expect((await visit('GET', 'stage', { token })).status).toBe(200)
  expect((await visit('GET', 'stage', { token })).status).toBe(429)
})
