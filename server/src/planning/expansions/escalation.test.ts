import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'

const carillon = useCarillon()
const users = (...user_ids: string[]) => ({ audience: { kind: 'users', user_ids } })
const dueOf = async (id: string) =>
  Object.fromEntries((await carillon.routesOf(id)).map(route => [route.route_id, route.next_attempt_at]))

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com', timezone: 'Europe/Berlin' }))

const escalate = [{ channel: 'email' as const, after: 600 }]

/** Delivers everything that is due. Returns the channels used. */
async function deliverDue(): Promise<string[]> {
  const sent: string[] = []
  const writeInbox = createInboxWriter(carillon.pool)
  const worker = carillon.deliver(async (message: Message) => {
    if (message.channel === 'in_app') await writeInbox(message)
    sent.push(message.channel)
    return { kind: 'sent' }
  })
  await carillon.nothingDue()
  await worker.stop()
  return sent
}
const read = async () => {
  const { body } = await carillon.request('POST', '/v1/inbox/read-all?user_id=ada', { body: {} })
  expect(body.read).toBeGreaterThan(0)
}
const approval = (more: object = {}) =>
  carillon.send({ ...users('ada'), notification_type: 'approval', ...more })
const state = async (id: string) =>
  (await carillon.routesOf(id)).map(({ channel, status, reason }) => [channel, status, reason])

beforeAll(async () => {
  await carillon.putType('approval', { channels: ['in_app'], escalate })
})

it('an escalation uses another channel later', async () => {
  const id = await approval()
  const due = await dueOf(id)
  expect(Date.parse(due['email:user:ada']!) - Date.parse(due['in_app:user:ada']!)).toBe(600_000)
  expect(await deliverDue()).toEqual(['in_app'])
  expect(await state(id)).toContainEqual(['email', 'pending', 'escalation'])
  await carillon.skipWaiting()
  expect(await deliverDue()).toEqual(['email'])
})

it('an escalation is skipped with a reason if the notification was read in the inbox meanwhile', async () => {
  const id = await approval()
  await deliverDue()
  await read()
  await carillon.skipWaiting()
  expect(await deliverDue()).toEqual([])
  expect(await state(id)).toContainEqual(['email', 'skipped', 'read'])
  const explanation = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
  const texts = explanation.people[0].routes[0].decisions.map((each: { text: string }) => each.text)
  expect(texts[0]).toContain('after the other channels.')
  expect(texts.at(-1)).toContain('It was read in the inbox, so nothing more is needed.')
})

it('an escalation with `unless: null` is sent even if the notification was read', async () => {
  await carillon.putType('approval', {
    channels: ['in_app'],
    escalate: [{ ...escalate[0]!, unless: null }],
  })
  await approval()
  await deliverDue()
  await read()
  await carillon.skipWaiting()
  expect(await deliverDue()).toEqual(['email'])
})

it('an escalation is skipped if the notification was read as part of a digest', async () => {
  await carillon.putType('approval', { channels: ['in_app'], escalate, digest: { window: 60 } })
  const readInDigest = await approval()
  await deliverDue()
  await carillon.skipWaiting('digest')
  expect(await deliverDue()).toEqual(['in_app'])
  await read()
  await carillon.skipWaiting()
  await deliverDue()
  expect(await state(readInDigest)).toEqual([
    ['email', 'skipped', 'read'],
    ['in_app', 'skipped', 'digested'],
  ])
})

it('reading the one row of a thread stops the escalations of all its notifications', async () => {
  await carillon.putType('approval', { channels: ['in_app'], escalate })
  const thread = { kind: 'issue', id: '7' }
  const ids = [await approval({ thread }), await approval({ thread, payload: { title: 'again' } })]
  await deliverDue()
  const inbox = (await carillon.request('GET', '/v1/inbox?user_id=ada&q=thread:issue/7')).body.data
  expect(inbox).toMatchObject([{ event_count: 2, thread, is_read: false }])
  await read()
  await carillon.skipWaiting()
  expect(await deliverDue()).toEqual([])
  for (const id of ids) expect(await state(id)).toContainEqual(['email', 'skipped', 'read'])
})

it('an escalation is cancelled with its notification, and addresses have none', async () => {
  await carillon.putType('approval', { channels: ['in_app', 'sms'], escalate })
  const id = await approval()
  expect((await carillon.request('POST', `/v1/records/${id}/cancel`)).body.cancelled).toBe(2)
  const audience = { kind: 'addresses', channel: 'sms', addresses: ['+4915100001'] }
  expect(await state(await approval({ audience }))).toEqual([['sms', 'pending', '']])
})
