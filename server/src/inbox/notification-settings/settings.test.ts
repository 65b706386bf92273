import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { tokenFor } from '../../../test/user-tokens.ts'

const carillon = useCarillon()
const KEY = `B${'A'.repeat(86)}`

beforeAll(async () => {
  await carillon.putUser('ada', { locale: 'de', timezone: 'Europe/Berlin' })
  await carillon.putType('order_shipped', { category: 'orders', channels: ['email', 'in_app'] })
  await carillon.putType('plain', { channels: ['sms'] })
  await carillon.request('PUT', '/v1/categories/orders', {
    body: { name: 'Orders', description: 'What you bought', required: true },
  })
})
const read = async (key?: string) =>
  (
    await carillon.request('GET', '/v1/notification-settings', {
      key: key ?? (await tokenFor(carillon, 'ada')),
    })
  ).body

it('notification settings tell who the person is, what there is to decide, and what applies', async () => {
  await carillon.request('PATCH', '/v1/users/ada/preferences', {
    body: { channels: { sms: { enabled: false } } },
  })
  await carillon.request('PATCH', '/v1/preferences', { body: { categories: { orders: { email: true } } } })
  expect(await read()).toEqual({
    user: { id: 'ada', locale: 'de', timezone: 'Europe/Berlin' },
    channels: ['email', 'in_app', 'sms'],
    categories: [
      {
        category: 'orders',
        name: 'Orders',
        description: 'What you bought',
        required: true,
        channels: ['email', 'in_app'],
      },
    ],
    preferences: expect.objectContaining({ channels: { sms: expect.objectContaining({ enabled: false }) } }),
    defaults: expect.objectContaining({ categories: { orders: { email: true } } }),
    web_push: { public_key: null },
  })
})

it('notification settings name categories in the person’s language', async () => {
  await carillon.request('PUT', '/v1/translations/de', {
    body: { messages: { 'page.category.orders': 'Bestellungen' } },
  })
  expect((await read()).categories[0].name).toBe('Bestellungen')
})

it('notification settings have the key of web push while the tenant sends it, and no secret', async () => {
  const body = {
    name: 'browsers',
    kind: 'web_push',
    channel: 'push',
    config: { public_key: KEY, subject: 'mailto:ops@example.org' },
    secrets: { private_key: 'x'.repeat(43) },
  }
  const { body: provider } = await carillon.request('POST', '/v1/providers', { body })
  const settings = await read()
  expect(settings.web_push).toEqual({ public_key: KEY })
  expect(JSON.stringify(settings)).not.toContain('x'.repeat(43))
  await carillon.request('PATCH', `/v1/providers/${provider.id}`, { body: { is_active: false } })
  expect((await read()).web_push).toEqual({ public_key: null })
})

it('an API key reads the notification settings of any existing person', async () => {
  const at = (user: string) => carillon.request('GET', `/v1/notification-settings?user_id=${user}`)
  expect((await at('ada')).body.user.id).toBe('ada')
  expect(problemOf(await at('nobody')).code).toBe('not_found')
  expect(problemOf(await carillon.request('GET', '/v1/notification-settings')).errors?.[0]?.field).toBe(
    'user_id',
  )
})
