import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { tokenFor } from '../../../test/user-tokens.ts'
import type { Message } from '../../content/messages/message.ts'

const carillon = useCarillon()
const register = (user: string, body: object) =>
  carillon.request('POST', `/v1/users/${user}/devices`, { body })
const list = async (user: string) => (await carillon.request('GET', `/v1/users/${user}/devices`)).body.data

const subscriptionOf = (n: number) => ({
  endpoint: `https://push.example.com/${n}`,
  keys: { p256dh: 'p', auth: 'a' },
})

beforeAll(async () => {
  for (const id of ['ada', 'bob']) await carillon.request('PUT', `/v1/users/${id}`, { body: {} })
})

it('a device is registered for a user, and its token is never shown again', async () => {
  const answer = await register('ada', { kind: 'fcm', token: 'token-1', label: 'Pixel' })
  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject({ user_id: 'ada', kind: 'fcm', label: 'Pixel' })
  expect(JSON.stringify([answer.body, await list('ada')])).not.toContain('token-1')
  for (const answer of [
    await register('nobody', { kind: 'fcm', token: 'x' }),
    await carillon.request('GET', '/v1/users/nobody/devices'),
  ])
    expect(problemOf(answer).code).toBe('not_found')
})

it('a token that is registered again stays one device and moves to its new owner', async () => {
  await register('ada', { kind: 'apns', token: 'shared' })
  await register('ada', { kind: 'apns', token: 'shared' })
  expect((await list('ada')).filter((device: { kind: string }) => device.kind === 'apns')).toHaveLength(1)
  await register('bob', { kind: 'apns', token: 'shared' })
  expect((await list('ada')).filter((device: { kind: string }) => device.kind === 'apns')).toHaveLength(0)
  expect(await list('bob')).toHaveLength(1)
})

it('a browser’s subscription is taken as it is, and a broken one is refused with the field', async () => {
  const subscription = {
    endpoint: 'https://push.example.com/1',
    expirationTime: null,
    keys: { p256dh: 'p', auth: 'a' },
  }
  expect((await register('bob', { kind: 'web_push', token: subscription })).status).toBe(201)
  expect((await register('bob', { kind: 'web_push', token: JSON.stringify(subscription) })).status).toBe(201)
  expect((await list('bob')).filter((device: { kind: string }) => device.kind === 'web_push')).toHaveLength(1)
  const broken = await register('bob', {
    kind: 'web_push',
    token: { endpoint: 'https://push.example.com/1' },
  })
  expect(problemOf(broken).errors?.[0]?.field).toBe('token.keys')
})

it('a user token registers browsers of its own person, and nothing else', async () => {
  const key = await tokenFor(carillon, 'ada')
  const own = (user: string, body: object) =>
    carillon.request('POST', `/v1/users/${user}/devices`, { key, body })
  const browser = (n: number) => ({ kind: 'web_push', token: subscriptionOf(n), label: `Browser ${n}` })
  const { status, body } = await own('ada', browser(0))
  expect([status, body.kind]).toEqual([201, 'web_push'])
  expect((await own('bob', browser(0))).status).toBe(403)
  expect(problemOf(await own('ada', { kind: 'fcm', token: 'stolen' })).errors?.[0]?.field).toBe('kind')
  for (let n = 1; n <= 20; n++) await own('ada', browser(n))
  const labels = (await list('ada')).map((device: { label: string }) => device.label)
  expect([labels.includes('Browser 0'), labels.includes('Pixel'), labels.includes('Browser 20')]).toEqual([
    false,
    true,
    true,
  ])
  for (const device of await list('ada'))
    if (device.kind === 'web_push')
      expect((await carillon.request('DELETE', `/v1/users/ada/devices/${device.id}`, { key })).status).toBe(
        204,
      )
})

it('a subscription that is too long is refused with the field', async () => {
  const endpoint = `https://push.example.com/${'x'.repeat(5000)}`
  const answer = await register('ada', { kind: 'web_push', token: { ...subscriptionOf(1), endpoint } })
  expect(problemOf(answer).errors?.[0]?.field).toBe('token.endpoint')
})

it('a push carries the person’s devices, except those that the provider reported as gone', async () => {
  const device = (await list('ada'))[0]
  const seen: Message[] = []
  const worker = carillon.deliver(message => {
    seen.push(message)
    return { kind: 'sent', gone_devices: [device.id] }
  })
  const id = await carillon.send({ audience: { kind: 'users', user_ids: ['ada'] }, channels: ['push'] })
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect(seen[0]!.devices).toEqual([{ id: device.id, kind: 'fcm', token: 'token-1' }])
  expect(await list('ada')).toMatchObject([{ id: device.id, state: 'gone' }])
  const next = await carillon.send({ audience: { kind: 'users', user_ids: ['ada'] }, channels: ['push'] })
  const quiet = carillon.deliver(message => {
    seen.push(message)
    return { kind: 'sent' }
  })
  await carillon.settled(next, 'sent')
  await quiet.stop()
  expect(seen[1]!.devices).toEqual([])
})

it('devices are deleted one by one or with their user', async () => {
  const [device] = await list('bob')
  expect((await carillon.request('DELETE', `/v1/users/ada/devices/${device.id}`)).status).toBe(404)
  expect((await carillon.request('DELETE', `/v1/users/bob/devices/${device.id}`)).status).toBe(204)
  await carillon.request('DELETE', '/v1/users/bob')
  expect((await carillon.pool.query(`select from user_devices where user_id = 'bob'`)).rowCount).toBe(0)
})
