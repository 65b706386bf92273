import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fieldsOf } from './submitted-form.fixture.ts'

const carillon = useCarillon()
const HOUR = 60 * 60 * 1000

beforeAll(async () => {
  await carillon.putType('newsletter', { channels: ['email', 'in_app'], category: 'news' })
})

let people = 0
async function aPerson(preferences: object = {}): Promise<{ id: string; link: string }> {
  const id = `sleeper-${++people}`
  await carillon.putUser(id, { email: `${id}@example.com`, timezone: 'Europe/Berlin', locale: 'en' })
  await carillon.request('PUT', `/v1/users/${id}/preferences`, { body: preferences })
  const { body } = await carillon.request('POST', `/v1/users/${id}/preference-links`, { body: {} })
  return { id, link: new URL(body.url).pathname }
}
const open = async (link: string) => (await carillon.api.inject({ url: link })).body
const submit = (url: string, form: URLSearchParams) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return carillon.api.inject({ method: 'POST', url, payload: form.toString(), headers })
}
const channelsOf = async (id: string) =>
  (await carillon.request('GET', `/v1/users/${id}/preferences`)).body.channels
const pausesOf = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries<{ paused_until: string }>(await channelsOf(id)).map(([name, { paused_until }]) => [
      name,
      paused_until,
    ]),
  )
const onAll = (until: unknown) => ({ email: until, sms: until, push: until, chat: until })

async function choose(link: string, fields: Record<string, string>) {
  const form = fieldsOf(await open(link))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return submit(link, form)
}

it('a pause holds back all channels that interrupt, and shows when it ends', async () => {
  const { id, link } = await aPerson()
  expect(await open(link)).toContain('<option value="none" selected>Not paused</option>')
  const answer = await choose(link, { pause: 'until', pause_until: '2999-07-01T09:30' })
  expect(answer.statusCode).toBe(303)
  expect(await pausesOf(id)).toEqual(onAll('2999-07-01T07:30:00.000Z'))
  const html = await open(link)
  expect(html).toMatch(/<p>Paused until Monday, July 1, 2999 at 9:30\sAM\.<\/p>/)
  // The channels of the pause are not suddenly offered as well.
  expect(html).not.toContain('name="channel sms"')
  expect(fieldsOf(html).get('pause_until')).toBe('2999-07-01T09:30')
})

it.each([
  ['hour', (now: number, until: number) => until - now >= HOUR - 1000 && until - now <= HOUR + 60_000],
  ['tomorrow', (now: number, until: number) => until > now && new Date(until).getUTCHours() <= 7],
  ['week', (now: number, until: number) => Math.abs(until - now - 7 * 24 * HOUR) <= 2 * HOUR],
])('the pause “%s” ends when it says', async (pause, isRight) => {
  const { id, link } = await aPerson()
  const before = Date.now()
  await choose(link, { pause })
  const { email } = await pausesOf(id)
  expect(isRight(before, Date.parse(email!))).toBe(true)
  expect(await pausesOf(id)).toEqual(onAll(email))
})

it('a pause ends with one button, which changes nothing else', async () => {
  const sms = { enabled: false, frequency_cap: 1, caps: null, quiet_hours: null, timezone: null }
  const { id, link } = await aPerson({
    channels: { email: { paused_until: '2999-01-01T00:00:00.000Z' }, sms },
    categories: { news: { email: false } },
    digests: { news: { email: { every: 'day', at: '18:15' } } },
  })
  const html = await open(link)
  expect(html).toMatch(/<p>Email: paused until Tuesday, January 1, 2999 at 1:00\sAM\.<\/p>/)
  const [button] = /<form method="post" class="notice[\s\S]+?<\/form>/.exec(html)!
  expect((await submit(link, fieldsOf(button))).statusCode).toBe(303)
  expect((await carillon.request('GET', `/v1/users/${id}/preferences`)).body).toEqual({
    channels: { sms: { ...sms, paused_until: null } },
    categories: { news: { email: false } },
    reasons: {},
    digests: { news: { email: { every: 'day', at: '18:15' } } },
  })
  expect(await open(link)).not.toContain('class="notice')
})

it('a pause ends by choosing “Not paused” and is moved by its end alone', async () => {
  const { id, link } = await aPerson()
  await choose(link, { pause_until: '2999-01-01T12:00' })
  expect(await pausesOf(id)).toEqual(onAll('2999-01-01T11:00:00.000Z'))
  await choose(link, { pause_until: '2999-01-02T12:00' })
  expect(await pausesOf(id)).toEqual(onAll('2999-01-02T11:00:00.000Z'))
  await choose(link, { pause: 'none' })
  expect(await channelsOf(id)).toEqual({})
})

it('a pause that was not touched stays as it is now, whatever the open page showed', async () => {
  const { id, link } = await aPerson()
  const form = fieldsOf(await open(link))
  const channels = { push: { paused_until: '2999-01-01T00:00:00.000Z' } }
  await carillon.request('PATCH', `/v1/users/${id}/preferences`, { body: { channels } })
  await submit(link, form)
  expect(await pausesOf(id)).toEqual({ push: '2999-01-01T00:00:00.000Z' })
  const paused = fieldsOf(await open(link))
  await carillon.request('PATCH', `/v1/users/${id}/preferences`, { body: { channels: { push: null } } })
  await submit(link, paused)
  expect(await channelsOf(id)).toEqual({})
})

it('a pause that is over is not shown', async () => {
  const { link } = await aPerson({ channels: { email: { paused_until: '2020-01-01T00:00:00.000Z' } } })
  const html = await open(link)
  expect(html).not.toContain('class="notice')
  expect(fieldsOf(html).get('pause')).toBe('none')
})

it.each([
  ['of an unknown length', { pause: 'year' }],
  ['that ends in the past', { pause: 'until', pause_until: '2020-01-01T00:00' }],
  ['that ends on no day', { pause: 'until', pause_until: '2999-02-31T00:00' }],
  ['that never ends', { pause: 'until', pause_until: '' }],
  ['that ends in another form', { pause: 'until', pause_until: 'tomorrow' }],
])('a pause %s is refused, and nothing is saved', async (_what, fields) => {
  const { id, link } = await aPerson()
  const form = fieldsOf(await open(link))
  form.delete('category email news')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const answer = await submit(link, form)
  expect([answer.statusCode, answer.body.includes('role="alert">Nothing was saved')]).toEqual([400, true])
  expect((await carillon.request('GET', `/v1/users/${id}/preferences`)).body.categories).toEqual({})
})

it('the preference page keeps entries beside a mistake, which can be saved once it is mended', async () => {
  const { id, link } = await aPerson()
  const form = fieldsOf(await open(link))
  form.delete('category email news')
  form.set('digest news', 'day')
  form.set('quiet', 'on')
  form.delete('quiet_monday')
  form.set('timezone', 'Asia/Tokyo')
  form.set('pause', 'until')
  // Meanwhile, elsewhere.
  await carillon.request('PATCH', `/v1/users/${id}/preferences`, {
    body: { categories: { news: { in_app: false } } },
  })
  const refused = await submit(link, form)
  expect(refused.statusCode).toBe(400)
  const again = fieldsOf(refused.body)
  again.set('pause_until', '2999-01-01T12:00')
  expect((await submit(link, again)).statusCode).toBe(303)
  const { channels, categories, digests } = (await carillon.request('GET', `/v1/users/${id}/preferences`))
    .body
  expect([categories, digests]).toEqual([
    { news: { email: false, in_app: false } },
    { news: { email: { every: 'day', at: '08:00' } } },
  ])
  expect(channels.email).toMatchObject({
    timezone: 'Asia/Tokyo',
    paused_until: '2999-01-01T03:00:00.000Z',
    quiet_hours: [{ start: '22:00', end: '08:00' }],
  })
  expect(channels.email.quiet_hours[0].days).not.toContain('monday')
})

it('the preference page shows the channels of types without a category, too', async () => {
  await carillon.putType('alarm', { channels: ['push'] })
  const { link } = await aPerson()
  expect(await open(link)).toContain('name="channel push" checked aria-label="Everything: Push"')
  await carillon.request('DELETE', '/v1/notification-types/alarm')
})
