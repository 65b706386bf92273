/** Messages of a required category are sent, whatever is switched off, and everything that tells about them says why. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { useSmtp } from '../../../test/smtp.ts'
import { createMailLinks } from '../../content/messages/mail-links.ts'

const carillon = useCarillon()
const smtp = useSmtp()
const INTENT = {
  notification_type: 'login',
  audience: { kind: 'users', user_ids: ['ada'] },
  payload: { title: 'New login' },
  reason: 'mention',
}
const require = (required: boolean) => put('/v1/categories/security', { required })
const put = (path: string, body: object) => carillon.request('PUT', path, { body })

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('login', { channels: ['email'], category: 'security' })
})
beforeEach(async () => {
  await require(false)
  await put('/v1/preferences', {})
  await put('/v1/users/ada/preferences', {})
})

/** What simulate foretells, what becomes of the route, what explain says, and the mail. */
async function deliver() {
  const links = createMailLinks(carillon.providers.keyring, PUBLIC_URL, Date.now)
  const simulated = (await carillon.request('POST', '/v1/intents/simulate', { body: INTENT })).body
  const id = await carillon.send(INTENT)
  const worker = carillon.deliver(smtp.provider, { links })
  const [route] = await carillon.settled(id, 'sent', 'skipped')
  await worker.stop()
  const explained = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
  const texts = (decisions: { decision: string; text: string }[]) =>
    decisions.filter(each => each.decision === 'required').map(each => each.text)
  return {
    status: route!.status,
    foretold: simulated.people[0].routes[0].status,
    why: texts(explained.people[0].routes[0].decisions),
    foretoldWhy: texts(simulated.people[0].routes[0].decisions),
    mail: smtp.receiver.mails.at(-1)?.parsed,
  }
}

it.each([
  [
    'the person left the category',
    '/v1/users/ada/preferences',
    { categories: { security: { email: false } } },
    'The person switched this channel off for the category "security", which is required.',
  ],
  [
    'the person switched the channel off',
    '/v1/users/ada/preferences',
    { channels: { email: { enabled: false } } },
    'The person switched this channel off altogether, but the category "security" is required.',
  ],
  [
    'the person switched the reason off',
    '/v1/users/ada/preferences',
    { reasons: { mention: { email: false } } },
    'The person switched this channel off for the reason "mention", but the category "security" is required.',
  ],
  [
    'the defaults leave the category out',
    '/v1/preferences',
    { categories: { security: { email: false } } },
    'The default for people who have not chosen switched this channel off for the category "security", which is required.',
  ],
])('a message of a required category is sent although %s', async (_name, path, body, why) => {
  await put(path, body)
  expect(await deliver()).toMatchObject({ status: 'skipped', foretold: 'skipped', why: [] })
  await require(true)
  expect(await deliver()).toMatchObject({
    status: 'sent',
    foretold: 'sent',
    why: [why],
    foretoldWhy: [why],
  })
})

it('a message of a required category is sent under a cap of 0', async () => {
  await put('/v1/users/ada/preferences', { channels: { email: { frequency_cap: 0 } } })
  await require(true)
  expect(await deliver()).toMatchObject({ status: 'sent', foretold: 'sent' })
})

it('a message of a required category that was not left needs no explanation', async () => {
  await require(true)
  expect(await deliver()).toMatchObject({ status: 'sent', why: [], foretoldWhy: [] })
})

it('a mail of a required category links to the preference page and offers no unsubscribing', async () => {
  await require(true)
  const { mail } = await deliver()
  expect(mail!.headers.filter(({ key }) => key.startsWith('list-unsubscribe'))).toEqual([])
  for (const content of [mail!.text!, mail!.html!]) {
    expect(content).toContain(`${PUBLIC_URL}/preferences/`)
    expect(content).not.toMatch(/unsubscribe/i)
  }
})

it('a template’s layout offers no unsubscribing in a mail of a required category', async () => {
  await put('/v1/templates/login/email/en', { subject: 'Login', body: 'You logged in.' })
  await carillon.request('POST', '/v1/templates/login/email/en/publish', { body: {} })
  await require(true)
  const { mail } = await deliver()
  expect(mail!.html).toContain(`${PUBLIC_URL}/preferences/`)
  expect(mail!.html).not.toMatch(/unsubscribe/i)
  await require(false)
  expect((await deliver()).mail!.html).toContain(`${PUBLIC_URL}/unsubscribe/`)
})
