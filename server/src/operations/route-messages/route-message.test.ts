import type { RouteMessage } from '@carillon/contract'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { put } from '../../../test/calls/call.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import type { Service } from '../../platform/queue/service.ts'
import { createMessageStore } from '../../providers/captured-messages/captured-messages.ts'
import { archiveOnce } from '../archive/archive.ts'
import { useFinished } from '../archive/finished.fixture.ts'

const carillon = useCarillon()
const { age, ids } = useFinished(carillon)
const ROUTE = 'email:user:ada'
const ask = (notification_id: string, key = carillon.key, route_id = ROUTE) =>
  carillon.request('GET', `/v1/routes/message?${new URLSearchParams({ notification_id, route_id })}`, { key })
/** The address of no user, so that the mail has no personal links. */
const TO_AN_ADDRESS = { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] }
const messageOf = async (id: string, key?: string): Promise<RouteMessage> => (await ask(id, key)).body
const INTENT = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
let worker: Service | undefined

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', locale: 'en' })
})
afterEach(() => worker?.stop())

async function publish(body: string): Promise<void> {
  await put(carillon, '/v1/templates/hello/email/en', {
    subject: 'Hi {{ name }}',
    body,
    variables: [{ name: 'name' }],
  })
  await carillon.request('POST', '/v1/templates/hello/email/en/publish', { body: {} })
}

it('the message of a route is rendered with its accepted version, before and after delivery', async () => {
  await publish('<p>Hello {{ name }}</p>')
  const audience = TO_AN_ADDRESS
  const id = await carillon.send({ audience, template: 'hello', payload: { name: 'Ada' } })
  const [route] = await carillon.routesOf(id)
  const message = async (): Promise<RouteMessage> => (await ask(id, carillon.key, route!.route_id)).body
  await publish('<p>Something else</p>')
  const before = await message()
  expect(before).toMatchObject({
    channel: 'email',
    address: 'ada@example.com',
    subject: 'Hi Ada',
    template: { name: 'hello', locale: 'en', version: 1 },
    is_exact: false,
  })
  expect(before.html).toContain('Hello Ada')
  expect(before.note).toMatch(/^Rendered now, as it would be sent/)
  const sent: Message[] = []
  worker = carillon.deliver(message => {
    sent.push(message)
    return { kind: 'sent' }
  })
  await carillon.settled(id, 'sent')
  const after = await message()
  expect(after.note).toMatch(/^Rendered again, as it was sent/)
  const { subject, text, html } = after
  expect({ subject, text, html }).toEqual({
    subject: sent[0]!.subject,
    text: sent[0]!.text,
    html: sent[0]!.html,
  })
})

it('the message of a route to a person has links that lead nowhere, and says so', async () => {
  const { text, note } = await messageOf(await carillon.send(INTENT))
  expect(text).toContain('/unsubscribe/sample')
  expect(note).toContain('lead nowhere')
})

it('reading the message of a route changes nothing', async () => {
  const id = await carillon.send(INTENT)
  const before = [await carillon.rowCounts(), await carillon.routesOf(id)]
  await messageOf(id)
  expect([await carillon.rowCounts(), await carillon.routesOf(id)]).toEqual(before)
})

it('the message of a route without a template comes from the payload', async () => {
  const id = await carillon.send({ ...INTENT, payload: { title: 'Plain', body: 'Text' } })
  expect(await messageOf(id)).toMatchObject({ subject: 'Plain', template: null, is_exact: false })
})

it('the message of a captured route is exactly what was captured', async () => {
  const id = await carillon.send(INTENT)
  const save = createMessageStore(carillon.pool)
  worker = carillon.deliver(async message => {
    await save({ ...message, subject: 'As captured', text: 'T', html: '<p>H</p>' })
    return { kind: 'sent' }
  })
  await carillon.settled(id, 'sent')
  expect(await messageOf(id)).toMatchObject({
    subject: 'As captured',
    text: 'T',
    html: '<p>H</p>',
    is_exact: true,
    note: '',
  })
})

it('the message of a route that cannot be rendered is a problem that says why', async () => {
  const body = { subject: 'x', body: '{{ name }}', variables: [{ name: 'name' }] }
  await put(carillon, '/v1/templates/strict/email/en', body)
  await carillon.request('POST', '/v1/templates/strict/email/en/publish', { body: {} })
  const id = await carillon.send({ ...INTENT, template: 'strict', payload: {} })
  expect(problemOf(await ask(id))).toMatchObject({ status: 422, code: 'render_failed' })
})

it('the message of an archived route is rendered', async () => {
  await carillon.pool.query('delete from records')
  const id = await carillon.send({ ...INTENT, payload: { title: 'Old' } })
  worker = carillon.deliver(() => ({ kind: 'sent' }))
  await carillon.settled(id, 'sent')
  await age(91)
  await archiveOnce(carillon.pool)
  const [archived] = await ids('records_archive')
  expect(await messageOf(archived!)).toMatchObject({ subject: 'Old', is_exact: false })
})

it('the message of a route is shown to no other tenant, and only with its scope', async () => {
  const id = await carillon.send(INTENT)
  const { key } = await carillon.createTenant('neighbour')
  expect((await ask(id, key)).status).toBe(404)
  expect((await ask(id, carillon.key, 'email:user:bob')).status).toBe(404)
  const narrow = await carillon.createKey({ name: 'narrow', scopes: ['records:read'] })
  expect(problemOf(await ask(id, narrow.key)).code).toBe('forbidden')
})
