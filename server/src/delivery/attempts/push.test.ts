/** A push has an outcome per device: those that have it are left alone, the others are tried again. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import type { Candidate } from './candidate.ts'

const carillon = useCarillon()
const pushTo = (user: string) =>
  carillon.send({ audience: { kind: 'users', user_ids: [user] }, channels: ['push'] })

/** Gives the ids of the devices. */
async function aPerson(id: string, devices: { kind: string; token: string }[]): Promise<string[]> {
  await carillon.putUser(id)
  const ids: string[] = []
  for (const body of devices)
    ids.push((await carillon.request('POST', `/v1/users/${id}/devices`, { body })).body.id)
  return ids
}

describe('a push to several devices through a real service', () => {
  let receiver: HttpReceiver
  let parts: ReturnType<typeof createProviderParts>
  const tokensOf = (body: Buffer): string[] => JSON.parse(body.toString())[0].to

  beforeAll(async () => {
    receiver = await startHttpReceiver()
    const { origin } = new URL(receiver.url)
    await carillon.request('POST', '/v1/providers', {
      body: { name: 'expo', kind: 'expo', config: { api_url: origin } },
    })
    parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring })
  })
  afterAll(async () => {
    await parts?.close()
    await receiver?.stop()
  })

  it('a push is repeated for the device that was refused for now, and for no other', async () => {
    await aPerson('ada', [
      { kind: 'expo', token: 'phone' },
      { kind: 'expo', token: 'tablet' },
    ])
    const full = { status: 'error', message: 'busy', details: { error: 'MessageRateExceeded' } }
    receiver.answerWith(({ body }) => {
      const isFirst = receiver.requests.length === 1
      const data = tokensOf(body).map(token =>
        isFirst && token === 'tablet' ? full : { status: 'ok', id: token },
      )
      return { body: JSON.stringify({ data }) }
    })
    const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
    const id = await pushTo('ada')
    await carillon.settled(id, 'retrying')
    await carillon.skipWaiting()
    const [route] = await carillon.settled(id, 'sent')
    await worker.stop()
    expect(receiver.requests.map(({ body }) => tokensOf(body))).toEqual([['phone', 'tablet'], ['tablet']])
    expect(route?.attempt_count).toBe(2)
  })
})

it('a push carries its payload and options, and is not kept longer than it is of use', async () => {
  const receiver = await startHttpReceiver()
  onTestFinished(receiver.stop)
  receiver.answerWith(() => ({ body: JSON.stringify({ data: [{ status: 'ok', id: 't-1' }] }) }))
  const config = { api_url: new URL(receiver.url).origin }
  const body = { name: 'another expo', kind: 'expo', priority: 10, config }
  await carillon.request('POST', '/v1/providers', { body })
  const parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring })
  onTestFinished(parts.close)
  await aPerson('flo', [{ kind: 'expo', token: 'watch' }])
  const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
  const id = await carillon.send({
    audience: { kind: 'users', user_ids: ['flo'] },
    channels: ['push'],
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    payload: { title: 'Hi', order: 7, push: { url: 'app://orders/7', badge: 2, channel_id: 'orders' } },
  })
  await carillon.settled(id, 'sent')
  await worker.stop()
  const [message] = JSON.parse(receiver.requests[0]!.body.toString())
  expect(message).toMatchObject({
    badge: 2,
    channelId: 'orders',
    data: { url: 'app://orders/7', payload: '{"title":"Hi","order":7}' },
  })
  expect(message.ttl).toBeGreaterThan(3000)
  expect(message.ttl).toBeLessThanOrEqual(3600)
})

/** A provider of one kind of devices; `outcomes` are its answers, one after the other. */
function aCandidate(kind: string, ...outcomes: ((ids: string[]) => Outcome)[]) {
  const asked: string[][] = []
  const candidate: Candidate = {
    name: kind,
    devices: kind,
    provider: {
      async send({ devices }) {
        const ids = devices.filter(device => device.kind === kind).map(({ token }) => token)
        asked.push(ids)
        const next = outcomes[Math.min(asked.length, outcomes.length) - 1]!
        return next(devices.filter(device => device.kind === kind).map(({ id }) => id))
      },
    },
    reportsBack: false,
    uncertainPolicy: 'resend',
  }
  return { candidate, asked }
}
const sent = (ids: string[]): Outcome => ({ kind: 'sent', reached_devices: ids })
const busy = (): Outcome => ({ kind: 'retry', message: 'busy' })
const firstOnly = ([first]: string[]): Outcome => ({
  kind: 'retry',
  message: 'one of them is busy',
  reached_devices: [first!],
})
const refused = (): Outcome => ({ kind: 'permanent', message: 'no' })

it('a push to two kinds of devices goes through both providers and repeats only the failed one', async () => {
  await aPerson('bob', [
    { kind: 'fcm', token: 'android' },
    { kind: 'apns', token: 'iphone' },
  ])
  const [fcm, apns] = [aCandidate('fcm', sent), aCandidate('apns', busy, sent)]
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    candidates: async () => [fcm.candidate, apns.candidate],
  })
  const id = await pushTo('bob')
  await carillon.settled(id, 'retrying')
  expect([fcm.asked, apns.asked]).toEqual([[['android']], [['iphone']]])
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect([fcm.asked, apns.asked]).toEqual([[['android']], [['iphone'], ['iphone']]])
})

it('a push that reached one device is sent, even if the others are given up', async () => {
  await aPerson('cleo', [
    { kind: 'fcm', token: 'one' },
    { kind: 'fcm', token: 'two' },
  ])
  const fcm = aCandidate('fcm', firstOnly, refused)
  const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: async () => [fcm.candidate] })
  const id = await pushTo('cleo')
  await carillon.settled(id, 'retrying')
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect(fcm.asked).toEqual([['one', 'two'], ['two']])
  expect((await carillon.request('GET', '/v1/dead-letters')).body.data).toEqual([])
})

it('a push is sent if its one missing device has been removed meanwhile', async () => {
  const [, sold] = await aPerson('dora', [
    { kind: 'fcm', token: 'kept' },
    { kind: 'fcm', token: 'sold' },
  ])
  const fcm = aCandidate('fcm', firstOnly, refused)
  const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: async () => [fcm.candidate] })
  const id = await pushTo('dora')
  await carillon.settled(id, 'retrying')
  await carillon.request('DELETE', `/v1/users/dora/devices/${sold}`)
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  await worker.stop()
  expect(fcm.asked).toEqual([['kept', 'sold']])
})

it('a push fails over to a second provider of the kind for the missing devices only', async () => {
  await aPerson('emil', [
    { kind: 'fcm', token: 'one' },
    { kind: 'fcm', token: 'two' },
  ])
  const [first, second] = [aCandidate('fcm', firstOnly), aCandidate('fcm', sent)]
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    candidates: async () => [first.candidate, second.candidate],
  })
  await carillon.settled(await pushTo('emil'), 'sent')
  await worker.stop()
  expect([first.asked, second.asked]).toEqual([[['one', 'two']], [['two']]])
})

describe('a push that reached one device and is stopped by a gate', () => {
  async function half(user: string): Promise<string> {
    await aPerson(user, [
      { kind: 'fcm', token: `${user}-phone` },
      { kind: 'fcm', token: `${user}-tablet` },
    ])
    const { candidate } = aCandidate('fcm', firstOnly)
    const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: async () => [candidate] })
    const id = await pushTo(user)
    await carillon.settled(id, 'retrying')
    await worker.stop()
    return id
  }
  async function again(id: string) {
    const worker = carillon.deliver(() => ({ kind: 'sent' }))
    await carillon.skipWaiting()
    const [route] = await carillon.settled(id, 'sent', 'skipped', 'expired', 'cancelled')
    await worker.stop()
    return route
  }

  it('a half-delivered push is sent, not skipped, when the person switches the channel off', async () => {
    const id = await half('gil')
    const body = { channels: { push: { enabled: false } } }
    await carillon.request('PUT', '/v1/users/gil/preferences', { body })
    expect(await again(id)).toMatchObject({ status: 'sent', reason: '' })
    const told = JSON.stringify((await carillon.request('GET', `/v1/records/${id}/explain`)).body)
    expect(told).toContain('skipped: ')
  })

  it('a half-delivered push is sent, not expired, when its deadline passes', async () => {
    const id = await half('hal')
    await carillon.passDeadline(id)
    expect(await again(id)).toMatchObject({ status: 'sent' })
  })

  it('a half-delivered push is cancelled on request', async () => {
    const id = await half('ian')
    await carillon.request('POST', `/v1/records/${id}/cancel`, { body: {} })
    expect(await again(id)).toMatchObject({ status: 'cancelled' })
  })
})
