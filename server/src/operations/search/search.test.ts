import type { SearchResult } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { create, put } from '../../../test/calls/call.ts'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { addScript } from '../../../test/scripts.ts'

const carillon = useCarillon()
const ask = (q: string, key = carillon.key) =>
  carillon.request('GET', `/v1/search?${new URLSearchParams({ q })}`, { key })
const found = async (q: string, key?: string): Promise<SearchResult[]> => (await ask(q, key)).body.data
const kindsOf = async (q: string, key?: string) =>
  (await found(q, key)).map(({ kind, id }) => `${kind} ${id}`)

let record: string
let event: string
let letter: string
let webhook: string
let script: string

beforeAll(async () => {
  await carillon.putUser('ada-1', { email: 'Lovelace@Example.com', username: 'countess' })
  await carillon.putUser('ADA-2')
  await carillon.putUser('bob')
  const content = { subject: 'Hi', body: 'Hello' }
  for (const locale of ['en', 'de']) await put(carillon, `/v1/templates/adaptive/email/${locale}`, content)
  await put(carillon, '/v1/templates/adaptive/sms/en', { body: 'Hi' })
  await put(carillon, '/v1/notification-types/ada.arrived', {
    description: 'Ada is here',
    channels: ['email'],
  })
  await put(carillon, '/v1/topics/ada%2Fengine', { title: 'The engine' })
  await put(carillon, '/v1/threads/issue/42', { title: 'It burns', topic: 'ada/engine' })
  script = await addScript(carillon.pool, carillon.tenantId, { name: 'adapt' })
  webhook = await create(carillon, '/v1/webhooks', {
    url: 'https://example.com/hook',
    events: ['notification.sent'],
  })
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no such mailbox' }))
  record = await carillon.send({ idempotency_key: 'order 7' })
  await carillon.settled(record, 'dead')
  await worker.stop()
  letter = (await carillon.readAll('/v1/dead-letters'))[0].id
  const happened = { kind: 'engine.started', topic: 'ada/engine', idempotency_key: 'start 1' }
  event = (await carillon.request('POST', '/v1/events', { body: happened })).body.event_id
})

it('search finds everything by the beginning of its name, in upper and lower case', async () => {
  const expected = ['user ADA-2', 'user ada-1', 'notification_type ada.arrived', 'template adaptive']
  expect(await kindsOf('Ada')).toEqual([...expected, `script ${script}`, 'topic ada/engine'])
})

it('search finds names with letters that not every database can put into lower case', async () => {
  for (const id of ['École 1', 'İstanbul', 'Ωmega', '日本']) {
    await carillon.putUser(id)
    expect(await kindsOf(id)).toEqual([`user ${id}`])
    expect(await kindsOf(id.slice(0, 1))).toEqual([`user ${id}`])
  }
})

it('search finds people by id, email and username, the exact id first', async () => {
  expect(await found('lovel')).toMatchObject([
    { kind: 'user', id: 'ada-1', title: 'ada-1', subtitle: 'countess · Lovelace@example.com' },
  ])
  expect(await kindsOf('COUNT')).toEqual(['user ada-1'])
  await carillon.putUser('bobby')
  expect(await kindsOf('bob')).toEqual(['user bob', 'user bobby'])
})

it('search finds records, events, dead letters, webhooks, scripts and threads by id', async () => {
  expect(await found(record)).toMatchObject([{ kind: 'record', id: record, subtitle: 'order 7' }])
  expect(await found(event)).toMatchObject([{ kind: 'event', id: event, title: 'engine.started' }])
  expect(await found(letter)).toMatchObject([
    { kind: 'dead_letter', id: letter, subtitle: 'no such mailbox' },
  ])
  expect(await found(webhook)).toMatchObject([
    { kind: 'webhook', id: webhook, title: 'https://example.com/hook' },
  ])
  expect(await found(script.toUpperCase())).toMatchObject([{ kind: 'script', id: script, title: 'adapt' }])
  expect(await found('issue:42')).toMatchObject([{ kind: 'thread', id: 'issue:42', title: 'It burns' }])
})

it('search finds records and events by their exact idempotency key', async () => {
  expect(await kindsOf('order 7')).toEqual([`record ${record}`])
  expect(await kindsOf('start 1')).toEqual([`event ${event}`])
  expect(await kindsOf('order')).toEqual([])
})

it('search shows a template once, with its channels', async () => {
  expect(await found('adaptive')).toMatchObject([
    { kind: 'template', id: 'adaptive', subtitle: 'email, sms' },
  ])
})

it.each(['%', '_', 'a%1', '\\', "'"])('search takes %s literally', async q => {
  expect(await found(q)).toEqual([])
})

it('search gives at most 20 results, some of each kind', async () => {
  for (let n = 0; n < 12; n++) {
    await carillon.putUser(`many-${n}`)
    await put(carillon, `/v1/topics/many-${n}`, {})
    await put(carillon, `/v1/notification-types/many-${n}`, { channels: ['email'] })
  }
  const kinds = (await found('many')).map(({ kind }) => kind)
  expect(kinds).toHaveLength(20)
  expect(kinds).toEqual([...kinds].sort((a, b) => kinds.indexOf(a) - kinds.indexOf(b)))
  for (const kind of ['user', 'topic', 'notification_type'])
    expect(kinds.filter(each => each === kind).length).toBeGreaterThanOrEqual(6)
})

it('search finds only what the key may read', async () => {
  const { key } = await carillon.createKey({ name: 'narrow', scopes: ['records:read', 'topics:read'] })
  expect(await kindsOf('ada', key)).toEqual(['topic ada/engine'])
  expect(await kindsOf(record, key)).toEqual([`record ${record}`])
  expect(await kindsOf(letter, key)).toEqual([])
  const { key: other } = await carillon.createKey({ name: 'other', scopes: ['users:read'] })
  expect(problemOf(await ask('ada', other)).code).toBe('forbidden')
})

it('search finds nothing of other tenants', async () => {
  const { key } = await carillon.createTenant('neighbour')
  for (const q of ['ada', 'lovel', record, event, letter, webhook, script, 'order 7', 'start 1', 'issue:42'])
    expect([q, await found(q, key)]).toEqual([q, []])
})

it('search refuses an empty query', async () => {
  expect(problemOf(await ask('  ')).errors?.[0]?.field).toBe('q')
})
