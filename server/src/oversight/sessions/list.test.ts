/** The sessions of an account, and how they end. */
import type { OpenSession } from '@carillon/contract'
import { expect, it } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { useCarillon } from '../../../test/carillon.ts'
import { aBrowserOf, openBrowser, PASSWORD } from '../../../test/signed-in.ts'
import { deviceOf } from './device.ts'

const carillon = useCarillon()
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

async function twoBrowsers() {
  const one = await aBrowserOf(carillon, 'viewer')
  const two = openBrowser(carillon, { 'user-agent': FIREFOX })
  await two.signIn({ email: one.account.email, password: PASSWORD })
  return { one, two }
}

/** Another browser of the same account, and the id of the session before. */
async function aSecondSession(email: string) {
  const two = openBrowser(carillon)
  await two.signIn({ email, password: PASSWORD })
  const { data } = (await two.request('GET', '/v1/sessions')).body
  return { two, id: data.find((each: OpenSession) => !each.current).id }
}

it('the sessions of an account are listed with their devices and end one by one', async () => {
  const { one, two } = await twoBrowsers()
  const { data } = (await one.request('GET', '/v1/sessions')).body
  expect(data).toMatchObject([
    { device: 'Firefox on Linux', ip_address: '127.0.0.1', current: false },
    { current: true },
  ])
  const stranger = await aBrowserOf(carillon, 'owner')
  expect((await stranger.request('DELETE', `/v1/sessions/${data[0].id}`)).status).toBe(404)
  expect((await one.request('DELETE', `/v1/sessions/${data[0].id}`)).status).toBe(204)
  expect((await two.request('GET', '/v1/session')).status).toBe(401)
  expect((await one.request('GET', '/v1/session')).status).toBe(200)
})

it('an account can end all its sessions but the current one', async () => {
  const { one, two } = await twoBrowsers()
  expect((await two.request('DELETE', '/v1/sessions')).status).toBe(204)
  expect((await one.request('GET', '/v1/session')).status).toBe(401)
  expect((await two.request('GET', '/v1/sessions')).body.data).toHaveLength(1)
})

it('a new password needs the old one and ends the other sessions', async () => {
  const { one, two } = await twoBrowsers()
  const password = 'another four random words'
  const put = (body: object) => one.request('PUT', '/v1/account', { body })
  for (const current of [{}, { current_password: 'not the right one' }])
    expect((await put({ password, ...current })).body.errors).toMatchObject([{ field: 'current_password' }])
  expect((await put({ password, current_password: PASSWORD })).status).toBe(200)
  expect((await two.request('GET', '/v1/session')).status).toBe(401)
  expect((await one.request('GET', '/v1/session')).status).toBe(200)
  const { email } = one.account
  expect((await openBrowser(carillon).signIn({ email, password: PASSWORD })).status).toBe(401)
  expect((await openBrowser(carillon).signIn({ email, password })).status).toBe(201)
  const logs = await carillon.readAll(`/v1/audit-logs?resource_type=account&account_id=${one.account.id}`)
  expect(logs.find(log => log.action === 'update')).toMatchObject({
    account_email: email,
    new_values: { password: '[redacted]' },
  })
  expect(JSON.stringify(logs)).not.toContain('argon2')
})

it.each([
  'short',
  'aaaaaaaaaaaaaaa',
  'Password1234',
  'carillon2026!',
  'abcabcabcabcabc',
  '123456789012',
  'qwertyuiop12',
  'x'.repeat(257),
])('an account cannot have the password "%s"', async password => {
  const browser = await aBrowserOf(carillon, 'viewer')
  const body = { password, current_password: PASSWORD }
  const answer = await browser.request('PUT', '/v1/account', { body })
  expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'password'])
})

it.each([
  'ключ от квартиры',
  'たかいやまのうえのほしぞら',
  'Κλειδιά του σπιτιού 12',
  'Käsekuchen über Nacht',
])('an account can have the password "%s"', async password => {
  const browser = await aBrowserOf(carillon, 'viewer')
  const body = { password, current_password: PASSWORD }
  expect((await browser.request('PUT', '/v1/account', { body })).status).toBe(200)
})

it('a session revoked during a request lets that request finish and no other begin', async () => {
  const one = await aBrowserOf(carillon, 'owner')
  await carillon.putUser('busy')
  const write = () => one.request('PUT', '/v1/users/busy', { body: { email: 'busy@example.com' } })
  const { two, id } = await aSecondSession(one.account.email)
  const [busy] = await atOnce(carillon.pool, "select from users where id = 'busy' for update", [write], () =>
    two.request('DELETE', `/v1/sessions/${id}`),
  )
  expect(busy?.status).toBe(200)
  expect((await write()).status).toBe(401)
})

it.each([
  [FIREFOX, 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['curl/8.9', 'curl'],
  ['', 'Unknown device'],
])('the user agent "%s" is shown as %s', (userAgent, device) => expect(deviceOf(userAgent)).toBe(device))
