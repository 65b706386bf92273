import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { callAndLeave } from '../../../test/leaving-caller.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { useSmtp } from '../../../test/smtp.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createMailLinks } from '../../content/messages/mail-links.ts'

const carillon = useCarillon()
const smtp = useSmtp()

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('newsletter', { channels: ['email'], category: 'news' })
  await carillon.putType('alarm', { channels: ['email'], category: 'news', critical: true })
})

async function mailOf(notification_type: string) {
  const links = createMailLinks(carillon.providers.keyring, PUBLIC_URL, Date.now)
  const id = await carillon.send({ notification_type, audience: { kind: 'users', user_ids: ['ada'] } })
  const worker = carillon.deliver(smtp.provider, { links })
  const [route] = await carillon.settled(id, 'sent', 'skipped')
  await worker.stop()
  const { headers } = smtp.receiver.mails.at(-1)!.parsed
  return { route: route!, header: (key: string) => headers.find(one => one.key === key)?.value }
}

it('the one-click header of a mail ends its category, and critical mails have none', {
  tags: 'S001-31',
}, async () => {
  const { header } = await mailOf('newsletter')
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const [, url] = /^<(.+)>$/.exec(header('list-unsubscribe')!)!
  expect(url!.startsWith(`${PUBLIC_URL}/unsubscribe/`)).toBe(true)

  const clicked = await carillon.api.inject({
    method: 'POST',
    url: new URL(url!).pathname,
    payload: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(clicked.statusCode).toBe(200)
  expect((await mailOf('newsletter')).route).toMatchObject({ status: 'skipped', reason: 'category_off' })

  await carillon.request('PUT', '/v1/users/ada/preferences', { body: {} })
  const alarm = await mailOf('alarm')
  expect([alarm.route.status, alarm.header('list-unsubscribe')]).toEqual(['sent', undefined])
})

it('an unsubscribe by one click counts if the mail service does not wait for the answer', async () => {
  await carillon.request('PUT', '/v1/users/ada/preferences', { body: {} })
  const [, url] = /^<(.+)>$/.exec((await mailOf('newsletter')).header('list-unsubscribe')!)!
  const logged = async () =>
    (await carillon.readAll('/v1/audit-logs?resource_type=preferences')).filter(
      row => row.api_key_id === null,
    )
  const before = (await logged()).length
  await callAndLeave(carillon, new URL(url!).pathname, {
    table: 'users',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await waitFor(async () => (await logged()).length > before, { what: 'the change' })
  expect((await logged())[0]).toMatchObject({ ip_address: '127.0.0.1' })
  expect((await mailOf('newsletter')).route).toMatchObject({ status: 'skipped', reason: 'category_off' })
})
