/** A required category cannot be left: not by a person, not by the defaults, not by a link in an old mail. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { signToken } from '../../content/signed-links/signed-links.ts'

const carillon = useCarillon()
const OWN = '/v1/users/ada/preferences'
const require = (required: boolean) =>
  carillon.request('PUT', '/v1/categories/security', { body: { name: 'Your security', required } })
const REFUSED = {
  code: 'category_required',
  status: 409,
  errors: [
    {
      field: 'categories.security.email',
      message: 'The category is required: it cannot be switched off.',
    },
  ],
}
const OFF = { categories: { security: { email: false, sms: true }, news: { email: false } } }

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('login', { channels: ['email'], category: 'security' })
})

describe.each([
  ['a person', OWN],
  ['the tenant', '/v1/preferences'],
])('a required category of %s', (_whose, path) => {
  beforeEach(async () => {
    await require(false)
    await carillon.request('PUT', path, { body: {} })
  })

  it.each(['PUT', 'PATCH'] as const)('%s cannot switch off a required category', async method => {
    await require(true)
    expect(problemOf(await carillon.request(method, path, { body: OFF }))).toMatchObject(REFUSED)
    expect((await carillon.request('GET', path)).body.categories).toEqual({})
  })

  it('a required category may be switched on and gathered, and its channel switched off', async () => {
    await require(true)
    const body = {
      channels: { email: { enabled: false } },
      categories: { security: { email: true } },
      digests: { security: { email: { every: 'hour' } } },
    }
    expect((await carillon.request('PUT', path, { body })).status).toBe(200)
  })

  it('a required category that was switched off before stays so while other choices are saved', async () => {
    await carillon.request('PUT', path, { body: OFF })
    await require(true)
    const changed = await carillon.request('PATCH', path, { body: { categories: { news: null } } })
    expect([changed.status, changed.body.categories]).toEqual([
      200,
      { security: { email: false, sms: true } },
    ])
    const repeated = await carillon.request('PUT', path, { body: changed.body })
    expect(repeated.status).toBe(200)
    const more = { categories: { security: { email: false, sms: false } } }
    expect(problemOf(await carillon.request('PUT', path, { body: more })).errors?.[0]?.field).toBe(
      'categories.security.sms',
    )
  })
})

describe('a link that unsubscribes from a category which has become required', () => {
  const link = (category: string) => {
    const claim = { tenant_id: carillon.tenantId, user_id: 'ada', channel: 'email' as const, category }
    const token = signToken(
      carillon.providers.keyring,
      'unsubscribe',
      claim,
      new Date(Date.now() + 86_400_000),
    )
    return `/unsubscribe/${token}`
  }
  const open = (method: 'GET' | 'POST', category: string) =>
    carillon.api.inject({ method, url: link(category), payload: method === 'POST' ? 'a=b' : undefined })

  it.each([
    ['GET', 200],
    ['POST', 409],
  ] as const)(
    'an unsubscribe link of a required category answers %s with the reason and changes nothing',
    async (method, status) => {
      await carillon.request('PUT', OWN, { body: {} })
      await require(true)
      const page = await open(method, 'security')
      expect(page.statusCode).toBe(status)
      expect(page.body).toContain('Messages about “Your security” are always sent')
      expect(page.body).not.toContain('<form')
      expect((await carillon.request('GET', OWN)).body.categories).toEqual({})
    },
  )

  it('an unsubscribe link works again when its category is no longer required', async () => {
    await require(false)
    expect((await open('POST', 'security')).statusCode).toBe(200)
    expect((await carillon.request('GET', OWN)).body.categories).toEqual({ security: { email: false } })
  })
})

describe('the preference page', () => {
  const open = async () => {
    const { body } = await carillon.request('POST', '/v1/users/ada/preference-links', { body: {} })
    return new URL(body.url).pathname
  }
  const submit = async (form: Record<string, string>) =>
    carillon.api.inject({
      method: 'POST',
      url: await open(),
      payload: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  it('the preference page shows a required category by name, without a way to switch it off', async () => {
    await carillon.request('PUT', OWN, { body: {} })
    await require(false)
    await carillon.request('PUT', OWN, { body: OFF })
    await require(true)
    const page = (await carillon.api.inject({ method: 'GET', url: await open() })).body
    const box = /<input type="checkbox"[^>]*aria-label="Your security: Email"[^>]*>/.exec(page)?.[0]
    expect(box).toContain('checked')
    expect(box).toContain('disabled')
    expect(page).toContain('always sent')
  })

  it('the preference page saves nothing about a required category, whatever the form says', async () => {
    await require(true)
    await carillon.request('PUT', OWN, { body: {} })
    const shown = new URLSearchParams({ 'category email security': 'on', 'channel email': 'on' }).toString()
    expect((await submit({ shown, 'channel email': 'on' })).statusCode).toBe(303)
    expect((await carillon.request('GET', OWN)).body.categories).toEqual({})
  })
})
