import { afterEach, beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const cancel = (id: string) => carillon.request('POST', `/v1/records/${id}/cancel`)
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const SENT: Outcome = { kind: 'sent' }

let asked: Message[] = []
let answer: (message: Message) => Outcome | Promise<Outcome> = () => SENT
let worker: Service | undefined

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  asked = []
  answer = () => SENT
})

function deliver(): void {
  worker = carillon.deliver(message => {
    asked.push(message)
    return answer(message)
  })
}

/** Sends one more message: when it arrives, everything that was due before has been claimed. */
async function everythingDueIsDone(): Promise<void> {
  const witness = await carillon.send({ notification_type: 'witness' })
  await carillon.settled(witness, 'sent')
  asked = asked.filter(message => message.notification_type !== 'witness')
}

it('a message with send_at is sent at that time and not before', { tags: 'S002-5' }, async () => {
  deliver()
  const id = await carillon.send({ send_at: inAnHour() })
  await everythingDueIsDone()
  expect(asked).toEqual([])
  expect((await carillon.routesOf(id))[0]).toMatchObject({ status: 'pending', attempt_count: 0 })
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  expect(asked.map(message => message.notification_id)).toEqual([id])
})

it('a message with send_at in the past is sent at once', { tags: 'S002-5' }, async () => {
  deliver()
  const id = await carillon.send({ send_at: '2020-01-01T00:00:00Z' })
  await carillon.settled(id, 'sent')
})

it('a message cancelled before its send_at is never sent', { tags: 'S002-5' }, async () => {
  const id = await carillon.send({ send_at: inAnHour() })
  expect((await cancel(id)).body).toEqual({ cancelled: 1, in_flight: 0, finished: 0 })
  deliver()
  await carillon.skipWaiting()
  await everythingDueIsDone()
  expect(asked).toEqual([])
  const [route] = await carillon.routesOf(id)
  expect(route).toMatchObject({
    status: 'cancelled',
    reason: 'cancelled',
    next_attempt_at: null,
    attempt_count: 0,
  })
  expect(route!.finished_at).not.toBeNull()
  const record = (await carillon.request('GET', `/v1/records/${id}`)).body
  expect(record).toMatchObject({ cancelled_at: expect.any(String), routes: { cancelled: 1 } })
})

it('cancelling stops only what waits: sent stays sent, what failed once is not tried again', {
  tags: 'S002-4',
}, async () => {
  answer = message => (message.channel === 'email' ? SENT : { kind: 'retry', message: 'busy' })
  deliver()
  const audience = { kind: 'users', user_ids: ['ada'] }
  const id = await carillon.send({ audience, channels: ['email', 'push', 'in_app'] })
  await carillon.settled(id, 'sent', 'retrying')
  expect((await cancel(id)).body).toEqual({ cancelled: 2, in_flight: 0, finished: 1 })
  const tries = asked.length
  await carillon.skipWaiting()
  await everythingDueIsDone()
  expect(asked).toHaveLength(tries)
  expect((await carillon.request('GET', `/v1/records/${id}`)).body.routes).toEqual({
    cancelled: 2,
    sent: 1,
  })
})

it('cancelling a second time or after the end is a conflict', { tags: 'S002-4' }, async () => {
  const waiting = await carillon.send({ send_at: inAnHour() })
  expect((await cancel(waiting)).status).toBe(200)
  expect(problemOf(await cancel(waiting))).toMatchObject({ status: 409, code: 'nothing_to_cancel' })

  deliver()
  const sent = await carillon.send()
  await carillon.settled(sent, 'sent')
  expect(problemOf(await cancel(sent))).toMatchObject({ status: 409, code: 'nothing_to_cancel' })
  const record = (await carillon.request('GET', `/v1/records/${sent}`)).body
  expect(record).toMatchObject({ cancelled_at: null, routes: { sent: 1 } })
})

it('of three cancellations at once, one succeeds and the others are conflicts', {
  tags: 'S002-4',
}, async () => {
  const id = await carillon.send({ send_at: inAnHour() })
  const answers = await Promise.all([cancel(id), cancel(id), cancel(id)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

it('cancelling cannot stop a message that is being sent, but prevents its retry', async () => {
  let fail: (outcome: Outcome) => void = () => {}
  answer = () => new Promise(resolve => (fail = resolve))
  deliver()
  const id = await carillon.send()
  await expect.poll(() => asked.length).toBe(1)
  expect((await cancel(id)).body).toEqual({ cancelled: 0, in_flight: 1, finished: 0 })
  answer = () => SENT
  fail({ kind: 'retry', message: 'busy' })
  await carillon.settled(id, 'retrying', 'cancelled')
  await carillon.skipWaiting()
  await carillon.settled(id, 'cancelled')
  expect(asked).toHaveLength(1)
})

it('cancelling a large audience before its expansion notifies nobody', async () => {
  const id = await carillon.send({ audience: { kind: 'tenant' } })
  expect((await cancel(id)).body).toEqual({ cancelled: 0, in_flight: 0, finished: 0 })
  expect(problemOf(await cancel(id)).code).toBe('nothing_to_cancel')
  expect(await expandChunk({ pool: carillon.pool, onExpanded: () => {} })).toBeUndefined()
  expect(await carillon.routesOf(id)).toEqual([])
  const explained = await carillon.request('GET', `/v1/records/${id}/explain`)
  expect(explained.body.summary).toBe('Cancelled before anybody was notified.')
})

it('an unknown record cannot be cancelled', async () => {
  expect(problemOf(await cancel('01900000-0000-7000-8000-000000000000')).code).toBe('not_found')
})
