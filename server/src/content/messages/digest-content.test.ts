/** Digests by templates, whether or not these were written for digests. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { DAILY, usePeople } from '../../delivery/digests/people.fixture.ts'
import type { ContentResult, FillTemplate } from './content-result.ts'
import { digestFromTemplate } from './digest-content.ts'
import type { MessageRoute } from './message-route.ts'

const carillon = useCarillon()
const { aPerson, tell, deliverDue, deliverDigests } = usePeople(carillon)
const TITLE = { name: 'title', required: true }

async function publish(name: string, content: object): Promise<void> {
  const path = `/v1/templates/${name}/email/en`
  expect((await carillon.request('PUT', path, { body: { layout: null, ...content } })).status).toBe(200)
  expect((await carillon.request('POST', `${path}/publish`, { body: {} })).status).toBe(200)
}

beforeAll(async () => {
  for (const type of ['single', 'several', 'order'])
    await carillon.putType(type, { channels: ['email'], category: 'talk' })
  await publish('single', { subject: 'New: {{ title }}', body: 'Read {{ title }}.', variables: [TITLE] })
  await publish('several', {
    subject: '{{ count }} news',
    body: '{% for item in items %}{{ item.title }},{% endfor %}',
    variables: [{ name: 'items' }, { name: 'count' }],
  })
  await publish('order', {
    subject: 'Order {{ number }}',
    body: '{% for item in items %}{{ item.name }};{% endfor %}',
    variables: [{ name: 'number' }, { name: 'items' }],
  })
})

/** The digests that these intents become, as subject and text. */
async function digestsOf(user: string, intents: [type: string, payload: object, more?: object][]) {
  for (const [notification_type, payload, more] of intents)
    await tell(user, '', { notification_type, payload, ...more })
  expect(await deliverDue()).toEqual([])
  return (await deliverDigests()).map(({ subject, text }) => [subject, text])
}

it('a digest template is filled in once, a template for single messages once for each title', async () => {
  const told = await digestsOf(await aPerson(DAILY), [
    ['single', { title: 'One' }],
    ['single', { title: 'Two' }],
    ['several', { title: 'One' }],
    ['several', { title: 'Two' }],
  ])
  expect(told.sort()).toEqual([
    ['2 news', 'One,Two,'],
    ['2 × Single', '• New: One\n• New: Two'],
  ])
})

it('a digest of one message reads like the message itself', async () => {
  expect(await digestsOf(await aPerson(DAILY), [['single', { title: 'One' }]])).toEqual([
    ['New: One', 'Read One.'],
  ])
})

it('a digest template also serves a single message', async () => {
  await tell(await aPerson(undefined), 'Alone', { notification_type: 'several' })
  expect((await deliverDue()).map(({ subject, text }) => [subject, text])).toEqual([['1 news', 'Alone,']])
})

it('a payload field named `items` keeps its own value in a digest', async () => {
  const orders: [string, object][] = [
    ['order', { number: 17, items: [{ name: 'Tea' }] }],
    ['order', { number: 18, items: [{ name: 'Cup' }] }],
  ]
  const user = await aPerson(DAILY)
  expect(await digestsOf(user, orders.slice(0, 1))).toEqual([['Order 17', 'Tea;']])
  expect(await digestsOf(user, orders)).toEqual([['2 × Order', '• Order 17\n• Order 18']])
})

it('a digest lists a message by its payload when its template cannot be filled in', async () => {
  const told = await digestsOf(await aPerson(DAILY), [
    ['single', { title: 'One' }],
    ['single', { subject: 'Without a title' }],
    ['single', {}],
  ])
  expect(told).toEqual([['3 × Single', '• New: One\n• Without a title\n• Single']])
})

it('a digest waits when a template cannot be read just now, instead of listing a message without it', async () => {
  const items = [{ title: 'One' }, { title: 'Two' }]
  const later: ContentResult = { kind: 'retry', message: 'The database is away.' }
  const content = { subject: 'New: One', text: '', html: null }
  const fill: FillTemplate = async (_route, payload) =>
    payload === items[1] ? later : { kind: 'content', content, declaredFields: ['title'] }
  const route = { notification_type: 'single' } as MessageRoute
  expect(await digestFromTemplate(route, { items, count: 2 }, null, fill)).toEqual(later)
})

it('a digest lists messages with different templates together', async () => {
  for (const name of ['a', 'b'])
    await publish(name, { subject: `{{ ${name} }}`, body: 'x', variables: [{ name, required: true }] })
  const told = await digestsOf(await aPerson(DAILY), [
    ['single', { a: 'From a' }, { template: 'a' }],
    ['single', { b: 'From b', title: 'B' }, { template: 'b' }],
  ])
  expect(told).toEqual([['2 × Single', '• From a\n• B']])
})

it('dates in a message follow the time zone of the person', async () => {
  await publish('clock', {
    subject: 'At {{ at | date: "%H:%M" }}',
    body: 'x',
    variables: [{ name: 'at' }],
  })
  await carillon.putType('clock', { channels: ['email'] })
  const user = await aPerson(undefined, { timezone: 'Asia/Tokyo' })
  await tell(user, '', { notification_type: 'clock', payload: { at: '2026-05-05T12:00:00Z' } })
  expect((await deliverDue()).map(({ subject }) => subject)).toEqual(['At 21:00'])
})
