/** Dates in templates, from the user's row to the finished message. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../messages/message.ts'

const carillon = useCarillon()
const AT = { name: 'at', sample: '2026-03-01T23:30:00Z' }
const BODY = '{{ at | date: "%A %d %B %H:%M" }} ({{ recipient.timezone }})'

async function publish(name: string, body: object): Promise<void> {
  await carillon.request('PUT', `/v1/templates/${name}/sms/en`, { body: { ...body, variables: [AT] } })
  const answer = await carillon.request('POST', `/v1/templates/${name}/sms/en/publish`, { body: {} })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

async function textFor(notification_type: string, audience: object): Promise<string> {
  const messages: Message[] = []
  const worker = carillon.deliver(message => {
    messages.push(message)
    return { kind: 'sent' }
  })
  const payload = { at: AT.sample }
  const id = await carillon.send({ notification_type, audience, channels: ['sms'], payload })
  await carillon.settled(id, 'sent')
  await worker.stop()
  return messages[0]!.text
}

it('dates in a message follow the recipient’s time zone and language, and UTC for plain addresses', async () => {
  await publish('shipped', { body: BODY })
  await carillon.putUser('emil', { phone: '+4915112345678', timezone: 'Europe/Berlin', locale: 'de-AT' })
  await carillon.putUser('zoe', { phone: '+12125550100', timezone: 'America/New_York', locale: 'en' })
  const users = (id: string) => ({ kind: 'users', user_ids: [id] })
  expect(await textFor('shipped', users('emil'))).toBe('Montag 02 März 00:30 (Europe/Berlin)')
  expect(await textFor('shipped', users('zoe'))).toBe('Sunday 01 March 18:30 (America/New_York)')
  const address = { kind: 'addresses', channel: 'sms', addresses: ['+4915112345678'] }
  expect(await textFor('shipped', address)).toBe('Sunday 01 March 23:30 (UTC)')
})

it('dates in a translation follow the recipient’s time zone', async () => {
  const messages = { at: '{$at :datetime}', plain: 'Hello' }
  await carillon.request('PUT', '/v1/translations/en', { body: { messages } })
  await publish('translated', { body: "{{ 'plain' | t }} {{ 'at' | t: at: at }}" })
  const users = (id: string) => ({ kind: 'users', user_ids: [id] })
  await carillon.putUser('bob', { phone: '+4915112345678', timezone: 'Europe/Berlin' })
  expect(await textFor('translated', users('bob'))).toMatch(/^Hello Mar 2, 2026, 12:30\sAM$/)
  expect(await textFor('translated', users('zoe'))).toMatch(/^Hello Mar 1, 2026, 6:30\sPM$/)
})

it('a recipient with an unknown time zone and locale still gets the message', async () => {
  await carillon.putUser('odd', { phone: '+4915112345678', locale: 'no_such_locale_at_all' })
  await carillon.pool.query("update users set timezone = 'Mars/Olympus' where id = 'odd'")
  const users = { kind: 'users', user_ids: ['odd'] }
  expect(await textFor('shipped', users)).toBe('Sunday 01 March 23:30 (UTC)')
})

it('a preview shows dates in the requested time zone', async () => {
  const preview = (body: object) =>
    carillon.request('POST', '/v1/templates/shipped/sms/en/preview', { body: { ...body } })
  expect((await preview({})).body.text).toBe('Sunday 01 March 23:30 (UTC)')
  const there = await preview({ timezone: 'Asia/Tokyo', locale: 'fr' })
  expect(there.body.text).toBe('lundi 02 mars 08:30 (Asia/Tokyo)')
  expect((await preview({ timezone: 'Mars/Olympus' })).body.errors[0].field).toBe('timezone')
  const template = { body: BODY, variables: [AT] }
  const unsaved = { channel: 'sms', template, timezone: 'Asia/Tokyo' }
  const answer = await carillon.request('POST', '/v1/templates/preview', { body: unsaved })
  expect(answer.body.text).toBe('Monday 02 March 08:30 (Asia/Tokyo)')
})
