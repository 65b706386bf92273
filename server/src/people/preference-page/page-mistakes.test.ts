/** Forms that no browser submits from the page as it is, and entries that make no sense. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fieldsOf } from './submitted-form.fixture.ts'

const carillon = useCarillon()

beforeAll(async () => {
  await carillon.putType('newsletter', { channels: ['email', 'sms'], category: 'news' })
})

let people = 0
async function aPerson(): Promise<{ id: string; link: string }> {
  const id = `person-${++people}`
  await carillon.putUser(id, { email: `${id}@example.com`, timezone: 'Europe/Berlin' })
  const { body } = await carillon.request('POST', `/v1/users/${id}/preference-links`, { body: {} })
  return { id, link: new URL(body.url).pathname }
}
const open = async (link: string) => (await carillon.api.inject({ url: link })).body
const post = (url: string, payload: string, type = 'application/x-www-form-urlencoded') =>
  carillon.api.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
const preferencesOf = async (id: string) =>
  (await carillon.request('GET', `/v1/users/${id}/preferences`)).body

it.each([
  ['nothing', '', 'application/x-www-form-urlencoded'],
  ['a one-click unsubscribe', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
  ['JSON', '{"timezone":"UTC"}', 'application/json'],
  [
    'a multipart form',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
    'multipart/form-data',
  ],
])('a post of %s to the preference page switches nothing off', async (_title, body, type) => {
  const { id, link } = await aPerson()
  const before = await preferencesOf(id)
  const answer = await post(link, body, type)
  expect(answer.statusCode).toBe(400)
  expect(answer.body).toContain('role="alert">Nothing was saved.')
  expect(await preferencesOf(id)).toEqual(before)
})

it.each<[string, (form: URLSearchParams) => void]>([
  ['without a beginning', form => form.set('quiet_start', '')],
  ['without an end', form => form.delete('quiet_end')],
  ['that end when they begin', form => form.set('quiet_end', form.get('quiet_start')!)],
  [
    'that leave no time of the week',
    form => ['quiet_start', 'quiet_end'].forEach(name => void form.set(name, '00:00')),
  ],
])(
  'quiet hours %s are refused with the mistake, and the page keeps them as entered',
  async (_title, edit) => {
    const { id, link } = await aPerson()
    const form = fieldsOf(await open(link))
    form.set('quiet', 'on')
    edit(form)
    const answer = await post(link, form.toString())
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('Quiet hours need a start and an end that differ')
    expect(fieldsOf(answer.body).get('quiet')).toBe('on')
    expect((await preferencesOf(id)).channels).toEqual({})
    const bad = fieldsOf(await open(link))
    bad.set('timezone', 'Mars/Base')
    expect((await post(link, bad.toString())).body).not.toContain('Quiet hours need')
  },
)

it('a preference page with many categories in any script can be saved', async () => {
  for (let i = 0; i < 40; i++) {
    const category = `${i} ${'お知らせ'.repeat(12)}`.slice(0, 50)
    await carillon.putType(`many-${i}`, { channels: ['email', 'sms', 'push', 'chat', 'in_app'], category })
  }
  const { id, link } = await aPerson()
  const form = fieldsOf(await open(link))
  form.delete('category email news')
  expect((await post(link, form.toString())).statusCode).toBe(303)
  expect((await preferencesOf(id)).categories).toEqual({ news: { email: false } })
})
