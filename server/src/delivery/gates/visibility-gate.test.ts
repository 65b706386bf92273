/** Tenants with a server of their own that says who may see what: it is asked again before a message is sent. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aReceiver } from '../../../test/webhooks.ts'
import { createVisibility } from '../../inbox/visibility/visibility.ts'

const carillon = useCarillon()
const PEOPLE = ['ada', 'bob', 'cy']
const thread = { kind: 'issue', id: '42' }

beforeAll(async () => {
  for (const id of PEOPLE) await carillon.putUser(id, { email: `${id}@example.com` })
  await carillon.putType('comment', { channels: ['email'] })
})

/** A server that lets these people see everything; undefined: it fails. */
async function aServer(visible: string[] | undefined) {
  const receiver = await aReceiver()
  receiver.answerWith(() => (visible === undefined ? { status: 500 } : { body: JSON.stringify({ visible }) }))
  await carillon.request('PUT', '/v1/visibility-check', { body: { url: receiver.url } })
  return receiver
}

const intent = (more: object = {}) => ({
  notification_type: 'comment',
  audience: { kind: 'users', user_ids: PEOPLE },
  thread,
  idempotency_key: Math.random().toString(),
  ...more,
})

function deliver() {
  const { keyring, outgoing } = carillon.providers
  const { ask } = createVisibility({ pool: carillon.pool, keyring, http: outgoing.http, rememberMs: 0 })
  return carillon.deliver(() => ({ kind: 'sent' }), { askVisibility: ask })
}

async function statusesOf(id: string, ...statuses: Parameters<typeof carillon.settled>[1][]) {
  const routes = await carillon.settled(id, ...statuses)
  return Object.fromEntries(routes.map(({ user_id, status, reason }) => [user_id, reason || status]))
}

describe('the visibility check', { tags: 'S001-25' }, () => {
  it('the visibility check is asked once for people at the gate together, and stops mails to the others', async () => {
    const server = await aServer(['ada', 'cy'])
    const id = await carillon.send(intent())
    const worker = deliver()
    expect(await statusesOf(id, 'sent', 'skipped')).toEqual({ ada: 'sent', bob: 'not_visible', cy: 'sent' })
    await worker.stop()
    expect(server.requests.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { topic: null, thread, event_id: null, user_ids: expect.arrayContaining(PEOPLE) },
    ])
  })

  it('the visibility check is not asked about a message without a thread', async () => {
    const server = await aServer([])
    const id = await carillon.send({ ...intent(), thread: undefined })
    const worker = deliver()
    expect(await statusesOf(id, 'sent')).toEqual({ ada: 'sent', bob: 'sent', cy: 'sent' })
    await worker.stop()
    expect(server.requests).toEqual([])
  })

  it('a message waits while the visibility check does not answer', async () => {
    const server = await aServer(undefined)
    const other = { ...thread, id: '43' }
    const id = await carillon.send(intent({ thread: other, audience: { kind: 'users', user_ids: ['ada'] } }))
    const worker = deliver()
    await expect
      .poll(async () => (await carillon.routesOf(id)).map(({ status, reason }) => [status, reason]))
      .toEqual([['pending', 'visibility_unknown']])
    server.answerWith(() => ({ body: JSON.stringify({ visible: ['ada'] }) }))
    await carillon.skipWaiting()
    expect(await statusesOf(id, 'sent')).toEqual({ ada: 'sent' })
    await worker.stop()
  })

  it('simulate gives the answer of the visibility check', async () => {
    const simulate = async () => {
      const body = intent({ payload: {}, thread: { ...thread, id: '44' } })
      const { people } = (await carillon.request('POST', '/v1/intents/simulate', { body })).body
      return people.map(
        (person: { routes: { status: string; reason: string }[] }) => person.routes[0]!.reason,
      )
    }
    await aServer(['bob'])
    expect(await simulate()).toEqual(['not_visible', '', 'not_visible'])
    await aServer(undefined)
    expect(await simulate()).toEqual(Array(3).fill('visibility_unknown'))
    await carillon.request('DELETE', '/v1/visibility-check')
    expect(await simulate()).toEqual(['', '', ''])
  })
})
