/** From an intent to the content a provider gets: which template, which version, and what happens on mistakes. */
import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import type { Message } from '../messages/message.ts'

const carillon = useCarillon()
const HOUR = 3_600_000
let type = ''
let unique = 0
beforeEach(() => {
  type = `type_${++unique}`
})

async function publish(path: string, body: object, more: object = {}): Promise<void> {
  const saved = await carillon.request('PUT', `/v1/templates/${path}`, { body })
  const published = await carillon.request('POST', `/v1/templates/${path}/publish`, { body: more })
  if (saved.status !== 200 || published.status !== 200)
    throw new Error(JSON.stringify([saved.body, published.body]))
}
const later = () => ({ send_at: new Date(Date.now() + HOUR).toISOString() })
const sms = (intent: object = {}) =>
  carillon.send({
    notification_type: type,
    audience: { kind: 'addresses', channel: 'sms', addresses: ['+4915112345678'] },
    ...intent,
  })

const delivered: Message[] = []

/** Delivers everything that is waiting and returns the record's messages. */
async function deliver(id: string, ...statuses: string[]): Promise<Message[]> {
  const worker = carillon.deliver(message => {
    delivered.push(message)
    return { kind: 'sent' }
  })
  await carillon.skipWaiting()
  await carillon.settled(id, ...(statuses.length > 0 ? statuses : ['sent']))
  await worker.stop()
  return delivered.filter(message => message.notification_id === id)
}
const letterOf = async (id: string) =>
  (await carillon.readAll('/v1/dead-letters')).find(letter => letter.notification_id === id)

it('a route uses the template named like its type, filled in per channel', { tags: 'S000-27' }, async () => {
  const variables = [{ name: 'order' }]
  await publish(`${type}/email/en`, {
    subject: 'Order {{ order }}',
    body: '<p>Left: {{ order }}</p>',
    variables,
  })
  await publish(`${type}/sms/en`, { body: ' {{ order }} left.\n', variables })
  await publish(`${type}/push/en`, { title: 'Order\n{{ order }}', body: 'Left', variables })
  await publish(`${type}/in_app/en`, { title: 'Your order', body: '{{ order }} left', variables })
  await publish(`${type}/chat/en`, { body: '*{{ order }}* left', variables })
  await carillon.putUser('all', { email: 'all@example.com', phone: '+4915112345678' })
  const id = await carillon.send({
    notification_type: type,
    audience: { kind: 'users', user_ids: ['all'] },
    channels: ['email', 'sms', 'push', 'in_app', 'chat'],
    payload: { order: '<7>' },
  })
  const messages = await deliver(id)
  const words = Object.fromEntries(messages.map(m => [m.channel, [m.subject, m.text]]))
  expect(words).toMatchObject({
    sms: ['', '<7> left.'],
    push: ['Order <7>', 'Left'],
    in_app: ['Your order', '<7> left'],
    chat: ['', '*<7>* left'],
  })
  const mail = messages.find(m => m.channel === 'email')
  expect(mail).toMatchObject({ subject: 'Order <7>', text: expect.stringContaining('Left: <7>') })
  expect(mail?.html).toContain('Left: &lt;7&gt;')
  expect(messages.filter(m => m.channel !== 'email').map(m => m.html)).toEqual([null, null, null, null])
})

it('a type can name the template of each channel', async () => {
  await publish('shared/sms/en', { body: 'from the shared one' })
  await carillon.putType(type, { channels: ['sms', 'email'], templates: { sms: 'shared' } })
  expect((await deliver(await sms()))[0]?.text).toBe('from the shared one')
})

it('a message without a published template is made from the payload', async () => {
  const id = await carillon.send({ notification_type: 'order_shipped', payload: { order: 7 } })
  expect((await deliver(id))[0]).toMatchObject({ subject: 'Order shipped', text: 'Order: 7' })
  await carillon.request('PUT', `/v1/templates/${type}/sms/en`, {
    body: { body: 'a draft nobody published' },
  })
  expect((await deliver(await sms({ payload: { body: 'my own' } })))[0]?.text).toBe('my own')
})

it.each([
  ['pt-BR', 'pt-BR'],
  ['pt_br', 'pt-BR'],
  ['pt-PT', 'pt'],
  ['pt', 'pt'],
  ['zh-Hant-TW', 'en'],
  ['', 'en'],
])('a route uses the template in the reader’s language: %s reads %s', async (locale, expected) => {
  for (const language of ['en', 'pt', 'pt-BR']) await publish(`${type}/sms/${language}`, { body: language })
  await carillon.putUser('reader', { phone: '+4915112345678', locale })
  const id = await sms({ audience: { kind: 'users', user_ids: ['reader'] }, channels: ['sms'] })
  expect((await deliver(id))[0]?.text).toBe(expected)
  expect((await carillon.routesOf(id))[0]?.template).toEqual({ name: type, locale: expected, version: 1 })
})

it('a template sees the branding, the recipient, the notification and the reader’s translations', async () => {
  await carillon.request('PATCH', '/v1/branding', { body: { name: 'Shop', footer: 'Shop Ltd.' } })
  for (const [locale, text] of [
    ['en', 'Hello {$name}'],
    ['de', 'Hallo {$name}'],
  ] as const) {
    await carillon.request('PUT', `/v1/translations/${locale}`, { body: { messages: { hello: text } } })
  }
  await publish(`${type}/sms/en`, {
    body: "{{ 'hello' | t: name: name }}|{{ branding.name }}|{{ recipient.id }} {{ recipient.locale }}|{{ notification.type }}",
    variables: [{ name: 'name' }],
  })
  await carillon.putUser('de', { phone: '+4915112345678', locale: 'de-AT' })
  const audience = { kind: 'users', user_ids: ['de'] }
  const id = await sms({ audience, channels: ['sms'], payload: { name: 'Ada' } })
  expect((await deliver(id))[0]?.text).toBe(`Hallo Ada|Shop|de de-AT|${type}`)
})

it('a waiting route keeps the template version it was accepted with', async () => {
  await publish(`${type}/sms/en`, { body: 'one' })
  const waiting = await sms(later())
  await publish(`${type}/sms/en`, { body: 'two' })
  expect((await deliver(waiting))[0]?.text).toBe('one')
  expect((await deliver(await sms()))[0]?.text).toBe('two')
})

it('a route accepted before the first publication uses no template', async () => {
  const waiting = await sms({ ...later(), payload: { body: 'own words' } })
  await publish(`${type}/sms/en`, { body: 'one' })
  expect((await deliver(waiting))[0]?.text).toBe('own words')
})

it('publishing or rolling back with replace_waiting changes the version of waiting routes', async () => {
  await publish(`${type}/sms/en`, { body: 'one' })
  const first = await sms(later())
  await publish(`${type}/sms/en`, { body: 'two' }, { replace_waiting: true })
  expect((await deliver(first))[0]?.text).toBe('two')
  const second = await sms(later())
  await carillon.request('POST', `/v1/templates/${type}/sms/en/rollback`, {
    body: { version: 1, replace_waiting: true },
  })
  const third = await sms(later())
  expect((await deliver(second))[0]?.text).toBe('one')
  expect((await carillon.routesOf(third))[0]?.template?.version).toBe(3)
})

it('replace_waiting gives waiting routes the current version even when nothing is published', async () => {
  await publish(`${type}/sms/en`, { body: 'one' })
  const waiting = await sms(later())
  await publish(`${type}/sms/en`, { body: 'two' })
  await publish(`${type}/sms/en`, { body: 'two' }, { only_if_changed: true, replace_waiting: true })
  expect((await deliver(waiting))[0]?.text).toBe('two')
})

it('a waiting route keeps its version when the template is deleted', async () => {
  await publish(`${type}/sms/en`, { body: 'one' })
  const waiting = await sms(later())
  await carillon.request('DELETE', `/v1/templates/${type}/sms/en`)
  expect((await deliver(waiting))[0]?.text).toBe('one')
  expect((await deliver(await sms({ payload: { body: 'own words' } })))[0]?.text).toBe('own words')
})

it('a large audience gets one version, even if another is published while its routes are made', async () => {
  for (let i = 0; i < 4; i++) await carillon.putUser(`large-${i}`, { phone: '+4915112345678' })
  await publish(`${type}/sms/en`, { body: 'one' })
  for (let i = 0; i < 4; i++)
    await carillon.request('PUT', `/v1/topics/${type}/watch`, { body: { user_id: `large-${i}` } })
  const id = await sms({ audience: { kind: 'topic', topic: type }, channels: ['sms'] })
  const chunk = () => expandChunk({ pool: carillon.pool, chunkSize: 2, onExpanded: () => {} })
  await chunk()
  await publish(`${type}/sms/en`, { body: 'two' })
  while (await chunk());
  const texts = (await deliver(id)).map(message => message.text)
  expect(texts).toEqual(['one', 'one', 'one', 'one'])
})

it('explain shows the template version of a route', async () => {
  await publish(`${type}/sms/en`, { body: 'one' })
  const id = await sms()
  await deliver(id)
  const { people } = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
  expect(people[0].routes[0].decisions[0].text).toContain(`with version 1 of the template "${type}" (en)`)
})

it('a missing variable makes a dead letter at the first attempt, which names the variable', {
  tags: 'S002-12',
}, async () => {
  await publish(`${type}/sms/en`, {
    body: '{{ order }}{{ note }}',
    variables: [{ name: 'order' }, { name: 'note' }],
  })
  const id = await sms({ payload: { note: null } })
  expect(await deliver(id, 'dead')).toEqual([])
  expect(await letterOf(id)).toMatchObject({
    failure_reason: 'permanent_failure',
    failure_message: `The template "${type}" (sms, en, version 1) cannot be rendered: the payload has no "order", "note".`,
    recovery_hint: expect.stringMatching(/replace_waiting/),
    final_attempt_count: 1,
  })
})

it('a missing field of a variable makes a dead letter that names its position', {
  tags: 'S002-12',
}, async () => {
  await publish(`${type}/sms/en`, { body: 'x\n{{ order.id }}', variables: [{ name: 'order' }] })
  const id = await sms({ payload: { order: {} } })
  await deliver(id, 'dead')
  expect((await letterOf(id)).failure_message).toMatch(
    /body: line 2, column 4: there is no value for "order.id"/,
  )
})

it('a variable that is not required may be missing from the payload', async () => {
  const variables = [{ name: 'note', required: false }]
  await publish(`${type}/sms/en`, { body: 'Hi{% if note %} {{ note }}{% endif %}{{ note }}', variables })
  expect((await deliver(await sms()))[0]?.text).toBe('Hi')
})

it('an inactive template makes a dead letter, which can be replayed once the template is active', {
  tags: 'S002-12',
}, async () => {
  const path = `/v1/templates/${type}/sms/en`
  await publish(`${type}/sms/en`, { body: 'one' })
  await carillon.request('PATCH', path, { body: { is_active: false } })
  const id = await sms()
  expect(await deliver(id, 'dead')).toEqual([])
  const letter = await letterOf(id)
  expect(letter.failure_message).toBe(`The template "${type}" (sms, en, version 1) is not active.`)
  await carillon.request('PATCH', path, { body: { is_active: true } })
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
  expect((await deliver(id))[0]?.text).toBe('one')
})

it('a dead letter can be replayed once a corrected version is published with replace_waiting', async () => {
  await publish(`${type}/sms/en`, { body: '{{ order.id }}', variables: [{ name: 'order' }] })
  const id = await sms({ payload: { order: { number: 7 } } })
  await deliver(id, 'dead')
  await publish(
    `${type}/sms/en`,
    { body: '{{ order.number }}', variables: [{ name: 'order' }] },
    { replace_waiting: true },
  )
  await carillon.request('POST', `/v1/dead-letters/${(await letterOf(id)).id}/replay`)
  expect((await deliver(id))[0]?.text).toBe('7')
})

it('a translation deleted after publication makes a dead letter', async () => {
  await carillon.request('PUT', '/v1/translations/en', { body: { messages: { bye: 'Bye' } } })
  await publish(`${type}/sms/en`, { body: "{{ 'bye' | t }}" })
  await carillon.request('PUT', '/v1/translations/en', { body: { messages: {} } })
  const id = await sms()
  await deliver(id, 'dead')
  expect((await letterOf(id)).failure_message).toMatch(/there is no translation "bye" in en/)
})

it('a mail with an empty or overlong subject is not sent; a line break in a subject becomes a space', async () => {
  await publish(`${type}/email/en`, { subject: '{{ s }}', body: 'x', variables: [{ name: 's' }] })
  const mail = (s: string) => carillon.send({ notification_type: type, payload: { s } })
  const [empty, long, broken] = [await mail(' '), await mail('x'.repeat(999)), await mail('a\r\nBcc: b')]
  for (const id of [empty, long]) await deliver(id, 'dead')
  expect((await letterOf(empty)).failure_message).toMatch(/subject: it is empty/)
  expect((await letterOf(long)).failure_message).toMatch(/more than 998/)
  expect((await deliver(broken))[0]?.subject).toBe('a Bcc: b')
})

it('a route is retried when its template cannot be read', async () => {
  await publish(`${type}/sms/en`, { body: 'one' })
  const id = await sms()
  let isAway = true
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    fillTemplate: async () => {
      if (isAway) throw new Error('connection lost')
      return undefined
    },
  })
  const [route] = await carillon.settled(id, 'retrying')
  expect(route?.last_error_message).toBe('The template could not be read: connection lost')
  isAway = false
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  await worker.stop()
})
