import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { signToken } from '../../content/signed-links/signed-links.ts'
import { fieldsOf } from './submitted-form.fixture.ts'

const carillon = useCarillon()
const EVIL = '<script>alert(1)</script>"\'&'

beforeAll(async () => {
  await carillon.putType('newsletter', { channels: ['email', 'sms'], category: 'news' })
  await carillon.putType('evil', { channels: ['email', 'in_app'], category: EVIL })
})

let people = 0
async function aPerson(preferences: object = {}): Promise<string> {
  const id = `person-${++people}`
  await carillon.putUser(id, { email: `${id}@example.com`, timezone: 'Europe/Berlin' })
  await carillon.request('PUT', `/v1/users/${id}/preferences`, { body: preferences })
  return id
}

async function linkOf(id: string): Promise<string> {
  const { body } = await carillon.request('POST', `/v1/users/${id}/preference-links`, { body: {} })
  return new URL(body.url).pathname
}
const open = (path: string) => carillon.api.inject({ url: path })
const post = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
  carillon.api.inject({ method: 'POST', url: path, payload: body, headers: { 'content-type': type } })
const preferencesOf = async (id: string) =>
  (await carillon.request('GET', `/v1/users/${id}/preferences`)).body

it('the preference page opens by its link alone, and its policy allows nothing else', async () => {
  const link = await linkOf(await aPerson({ categories: { news: { email: false } } }))
  const { statusCode, headers, body } = await open(link)
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(body).toMatch(/name="category email news" aria-label="News: Email"/)
  expect(body).toMatch(/name="category sms news" checked aria-label="News: Text message"/)
  expect(body).toContain('<option value="Europe/Berlin" selected>Europe/Berlin</option>')
  expect(body).not.toContain('role="status"')
})

it('the preference page escapes the names of categories', async () => {
  const { body } = await open(await linkOf(await aPerson()))
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
  expect(body).not.toContain('<script')
})

it('a preference page submitted unchanged changes nothing, so that defaults still apply', async () => {
  const chosen = {
    channels: { email: { enabled: true, frequency_cap: 2 } },
    reasons: { mention: { sms: false } },
  }
  const id = await aPerson(chosen)
  const before = await preferencesOf(id)
  const link = await linkOf(id)
  const answer = await post(link, fieldsOf((await open(link)).body).toString())
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '?saved=1'])
  expect(await preferencesOf(id)).toEqual(before)
  expect((await open(`${link}?saved=1`)).body).toContain('role="status">Saved.')
})

it('the preference page saves what was changed, and only that', async () => {
  const id = await aPerson({ channels: { sms: { frequency_cap: 1 } } })
  const link = await linkOf(id)
  const form = fieldsOf((await open(link)).body)
  form.delete('category email news')
  form.delete(`category email ${EVIL}`)
  form.delete('channel sms')
  form.set('quiet', 'on')
  form.set('quiet_start', '21:30')
  form.set('timezone', 'Asia/Tokyo')
  expect((await post(link, form.toString())).statusCode).toBe(303)
  const quiet = {
    quiet_hours: [{ start: '21:30', end: '08:00' }],
    timezone: 'Asia/Tokyo',
    paused_until: null,
    caps: null,
  }
  expect(await preferencesOf(id)).toEqual({
    channels: {
      email: { enabled: null, frequency_cap: null, ...quiet },
      sms: { enabled: false, frequency_cap: 1, ...quiet },
    },
    categories: { news: { email: false }, [EVIL]: { email: false } },
    reasons: {},
    digests: {},
  })
  const again = fieldsOf((await open(link)).body)
  expect([again.get('quiet_start'), again.get('timezone'), again.has('channel sms')]).toEqual([
    '21:30',
    'Asia/Tokyo',
    false,
  ])
  again.delete('quiet')
  await post(link, again.toString())
  expect((await preferencesOf(id)).channels.email.quiet_hours).toEqual([])
})

describe('an open page while something else changes', () => {
  const unsubscribe = (user_id: string, category = 'news') => {
    const claim = { tenant_id: carillon.tenantId, user_id, channel: 'email', category } as const
    const token = signToken(carillon.providers.keyring, 'unsubscribe', claim, new Date(Date.now() + 60_000))
    return post(`/unsubscribe/${token}`, 'List-Unsubscribe=One-Click')
  }

  it('an open page does not undo an unsubscribe by one click', async () => {
    const id = await aPerson()
    const link = await linkOf(id)
    const form = fieldsOf((await open(link)).body)
    await unsubscribe(id)
    form.delete('category sms news')
    expect((await post(link, form.toString())).statusCode).toBe(303)
    expect((await preferencesOf(id)).categories).toEqual({ news: { email: false, sms: false } })

    await unsubscribe(id, '')
    await post(link, form.toString())
    expect((await preferencesOf(id)).channels.email.enabled).toBe(false)
  })

  it('an open page and an unsubscribe at the same time are both saved', async () => {
    for (let round = 0; round < 15; round++) {
      const id = await aPerson()
      const link = await linkOf(id)
      const form = fieldsOf((await open(link)).body)
      form.delete('category sms news')
      const answers = await Promise.all([post(link, form.toString()), unsubscribe(id)])
      expect(answers.map(answer => answer.statusCode)).toEqual([303, 200])
      expect((await preferencesOf(id)).categories).toEqual({ news: { email: false, sms: false } })
    }
  })

  it('an open page keeps quiet hours, time zone and digests that were set elsewhere', async () => {
    const id = await aPerson()
    const link = await linkOf(id)
    const form = fieldsOf((await open(link)).body)
    const quiet = { quiet_hours: [{ start: '20:00', end: '07:00' }], timezone: 'Asia/Tokyo' }
    const chosen = {
      channels: { email: { enabled: null, frequency_cap: null, caps: null, paused_until: null, ...quiet } },
      categories: {},
      reasons: {},
      digests: { news: { email: { every: 'day', at: '18:15' } } },
    }
    await carillon.request('PUT', `/v1/users/${id}/preferences`, { body: chosen })
    await post(link, form.toString())
    expect(await preferencesOf(id)).toEqual(chosen)
  })

  it('an open page does not switch off a category that it could not show yet', async () => {
    const id = await aPerson()
    const link = await linkOf(id)
    const form = fieldsOf((await open(link)).body)
    await carillon.putType('brand-new', { channels: ['email'], category: 'new one' })
    await post(link, form.toString())
    await carillon.request('DELETE', '/v1/notification-types/brand-new')
    expect((await preferencesOf(id)).categories).toEqual({})
  })

  it.each([true, false])(
    'an open page switches off no category whose required flag was %s when it was opened',
    async required => {
      await carillon.request('PUT', '/v1/categories/news', { body: { required } })
      const id = await aPerson()
      const link = await linkOf(id)
      const form = fieldsOf((await open(link)).body)
      expect(form.has('category email news')).toBe(!required)
      await carillon.request('PUT', '/v1/categories/news', { body: { required: !required } })
      form.delete('category email news')
      expect((await post(link, form.toString())).statusCode).toBe(303)
      await carillon.request('DELETE', '/v1/categories/news')
      expect((await preferencesOf(id)).categories).toEqual({})
    },
  )
})

it('people choose digests per category on the preference page, at one time for all', async () => {
  const id = await aPerson({ digests: { news: { sms: { every: 'day', at: '18:15' } } } })
  const link = await linkOf(id)
  const form = fieldsOf((await open(link)).body)
  expect([
    form.get('digest news'),
    form.get(`digest ${EVIL}`),
    form.get('digest_at'),
    form.get('digest_on'),
  ]).toEqual(['day', 'message', '18:15', 'monday'])
  form.set('digest news', 'week')
  form.set('digest_on', 'friday')
  expect((await post(link, form.toString())).statusCode).toBe(303)
  const weekly = { every: 'week', on: 'friday', at: '18:15' }
  // Channels that interrupt nobody have no digest on this page.
  expect((await preferencesOf(id)).digests).toEqual({ news: { email: weekly, sms: weekly } })
  const again = fieldsOf((await open(link)).body)
  again.set('digest_at', '07:30')
  again.set(`digest ${EVIL}`, 'hour')
  await post(link, again.toString())
  expect((await preferencesOf(id)).digests).toEqual({
    news: { email: { ...weekly, at: '07:30' }, sms: { ...weekly, at: '07:30' } },
    [EVIL]: { email: { every: 'hour' } },
  })
})

it('the preference page refuses an invalid zone or time in words, and saves nothing', {
  tags: 'S002-20',
}, async () => {
  const id = await aPerson()
  const link = await linkOf(id)
  for (const [name, value] of [
    ['timezone', 'Mars/Olympus'],
    ['quiet_start', '25:00'],
    ['digest news', 'year'],
  ] as const) {
    const form = fieldsOf((await open(link)).body)
    form.set('quiet', 'on')
    form.set(name, value)
    const answer = await post(link, form.toString())
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('role="alert">Nothing was saved')
  }
  expect((await preferencesOf(id)).channels).toEqual({})
})

it('a changed, expired or foreign link opens no preference page and changes nothing', {
  tags: 'S001-30',
}, async () => {
  const id = await aPerson()
  const link = await linkOf(id)
  const holder = { tenant_id: carillon.tenantId, user_id: id }
  const expired = signToken(carillon.providers.keyring, 'preferences', holder, new Date(0))
  const gone = signToken(
    carillon.providers.keyring,
    'preferences',
    { ...holder, user_id: 'gone' },
    new Date(1e14),
  )
  for (const [path, status] of [
    [`${link.slice(0, -3)}AAA`, 400],
    [`/preferences/${expired}`, 410],
    [`/preferences/${gone}`, 400],
  ] as const) {
    const answers = [await open(path), await post(path, 'quiet=on&quiet_start=01%3A00&quiet_end=02%3A00')]
    for (const answer of answers) {
      expect(answer.statusCode).toBe(status)
      expect(answer.body).toContain('<h1>This link')
    }
  }
  expect(await preferencesOf(id)).toEqual({ channels: {}, categories: {}, reasons: {}, digests: {} })
})

it('preference links are made for existing users, by keys that may write preferences', async () => {
  const id = await aPerson()
  const { key } = await carillon.createKey({ name: 'reader', scopes: ['preferences:read'] })
  const path = `/v1/users/${id}/preference-links`
  expect((await carillon.request('POST', path, { body: {}, key })).status).toBe(403)
  expect((await carillon.request('POST', '/v1/users/nobody/preference-links', { body: {} })).status).toBe(404)
  const { body } = await carillon.request('POST', path, { body: { expires_in_seconds: 60 } })
  expect(body.url).toMatch(/^https:\/\/carillon\.example\.com\/preferences\//)
  expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(60_000)
})

describe('one-click unsubscribe', () => {
  const tokenOf = (user_id: string, category: string) =>
    signToken(
      carillon.providers.keyring,
      'unsubscribe',
      { tenant_id: carillon.tenantId, user_id, channel: 'email', category },
      new Date(Date.now() + 60_000),
    )

  it('the unsubscribe link asks on GET, and opts out of one category on POST', {
    tags: 'S001-31',
  }, async () => {
    const id = await aPerson({
      channels: { email: { frequency_cap: 4 } },
      categories: { ads: { email: true } },
    })
    const path = `/unsubscribe/${tokenOf(id, 'news')}`
    const before = await preferencesOf(id)
    const asked = await open(path)
    expect(asked.body).toContain('no longer get messages about “News” by email')
    expect(await preferencesOf(id)).toEqual(before)
    const done = await post(path, 'List-Unsubscribe=One-Click')
    expect([done.statusCode, done.body.includes('<h1>Unsubscribed')]).toEqual([200, true])
    expect(await preferencesOf(id)).toEqual({
      ...before,
      categories: { ads: { email: true }, news: { email: false } },
    })
    const [, onwards] = /href="\.\.(\/preferences\/[^"]+)"/.exec(done.body)!
    expect((await open(onwards!)).statusCode).toBe(200)
  })

  it('an unsubscribe link without a category opts out of the channel, from a multipart form too', {
    tags: 'S001-31',
  }, async () => {
    const id = await aPerson()
    const body =
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
    const answer = await post(`/unsubscribe/${tokenOf(id, '')}`, body, 'multipart/form-data; boundary=b')
    expect(answer.statusCode).toBe(200)
    expect((await preferencesOf(id)).channels.email).toMatchObject({ enabled: false })
  })

  it('an unsubscribe link with another person’s id does nothing', { tags: 'S001-30' }, async () => {
    const id = await aPerson()
    const [, signature] = tokenOf(id, '').split('.')
    const [text] = tokenOf(await aPerson(), '').split('.')
    expect((await post(`/unsubscribe/${text}.${signature}`, '')).statusCode).toBe(400)
    expect((await post(`/unsubscribe/${tokenOf('nobody', '')}`, '')).statusCode).toBe(400)
    expect((await preferencesOf(id)).channels).toEqual({})
  })
})

describe('several quiet hours', () => {
  const weekend = ['sunday', 'saturday']
  const WINDOWS = [
    { start: '22:00', end: '07:00' },
    { start: '00:00', end: '24:00', days: weekend },
  ]

  it('the preference page shows quiet hours, and keeps those that were not touched', async () => {
    const id = await aPerson({ channels: { email: { quiet_hours: WINDOWS } } })
    const link = await linkOf(id)
    const before = await preferencesOf(id)
    const { body } = await open(link)
    expect(body).toContain('<details open>')
    const form = fieldsOf(body)
    const days = ['monday', 'saturday', 'sunday'].map(day => form.has(`quiet_${day}_2`))
    expect([form.get('quiet_start'), form.get('quiet_start_2'), days]).toEqual([
      '22:00',
      '00:00',
      [false, true, true],
    ])
    form.delete('category email news')
    await post(link, form.toString())
    expect(await preferencesOf(id)).toEqual({ ...before, categories: { news: { email: false } } })
  })

  it('the preference page sets, changes and ends quiet hours for all channels that interrupt', async () => {
    const id = await aPerson()
    const link = await linkOf(id)
    const change = async (edit: (form: URLSearchParams) => void) => {
      const form = fieldsOf((await open(link)).body)
      edit(form)
      const answer = await post(link, form.toString())
      const { email, sms, in_app } = (await preferencesOf(id)).channels
      expect([sms?.quiet_hours, in_app]).toEqual([email?.quiet_hours, undefined])
      return [answer.statusCode, email?.quiet_hours]
    }
    expect(
      await change(form => {
        form.set('quiet', 'on')
        form.set('quiet_end', '07:00')
        form.set('quiet_3', 'on')
        form.set('quiet_start_3', '00:00')
        form.set('quiet_end_3', '00:00')
        for (const day of ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'])
          form.delete(`quiet_${day}_3`)
      }),
    ).toEqual([303, WINDOWS])
    expect(await change(form => form.delete('quiet'))).toEqual([303, [WINDOWS[1]]])
    // Without any day, there are no hours.
    expect(
      await change(form => {
        for (const day of weekend) form.delete(`quiet_${day}`)
      }),
    ).toEqual([303, []])
  })

  it('the preference page refuses quiet hours that leave no time of the week', async () => {
    const id = await aPerson()
    const link = await linkOf(id)
    const form = fieldsOf((await open(link)).body)
    for (const [name, value] of Object.entries({ quiet: 'on', quiet_start: '00:00', quiet_end: '00:00' }))
      form.set(name, value)
    expect((await post(link, form.toString())).statusCode).toBe(400)
    expect((await preferencesOf(id)).channels).toEqual({})
  })
})
