import type { WebhookEventType } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aWebhook } from '../../../test/webhooks.ts'
import { deliver, ENDPOINT, raise, toAda, waitingFor } from './events.fixture.ts'

const carillon = useCarillon()

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('order_shipped', { channels: ['email', 'in_app'], category: 'orders' })
})

describe('filters', () => {
  it('by type and by category; system events always pass', async () => {
    await carillon.putType('news', { channels: ['email'], category: 'marketing' })
    const events: WebhookEventType[] = ['notification.accepted', 'system_event.raised']
    const byType = await aWebhook(carillon, { url: ENDPOINT, events, notification_types: ['news'] })
    const byCategory = await aWebhook(carillon, { url: ENDPOINT, events, categories: ['orders'] })
    await carillon.send({ ...toAda, notification_type: 'news' })
    await carillon.send(toAda)
    await carillon.send({ ...toAda, notification_type: 'unknown_to_the_catalog' })
    await raise(carillon, 'filtered')
    const types = async (id: string) =>
      (await waitingFor(carillon, id))
        .map(row => JSON.parse(row.payload).data)
        .map(data => data.notification_type ?? data.event_type)
    expect(await types(byType.id)).toEqual(['news', 'filtered'])
    expect(await types(byCategory.id)).toEqual(['order_shipped', 'filtered'])
  })

  it('by person: a user’s webhook gets only what concerns that user, and is deleted with the user', {
    tags: 'S002-14',
  }, async () => {
    await carillon.putUser('carol', { email: 'carol@example.com' })
    const events: WebhookEventType[] = ['notification.accepted', 'notification.sent', 'system_event.raised']
    const ofCarol = await aWebhook(carillon, { url: ENDPOINT, events, user_id: 'carol' })
    const both = await carillon.send({
      audience: { kind: 'users', user_ids: ['ada', 'carol'] },
      channels: ['email'],
    })
    const ada = await carillon.send(toAda)
    await deliver(carillon, { kind: 'sent' }, both, 'sent')
    await carillon.settled(ada, 'sent', 'pending')
    await raise(carillon, 'for everybody')
    const rows = await waitingFor(carillon, ofCarol.id)
    expect(rows.map(row => [row.op, JSON.parse(row.payload).data.route_id])).toEqual([
      ['notification.accepted', null],
      ['notification.sent', 'email:user:carol'],
    ])
    await carillon.request('DELETE', '/v1/users/carol')
    expect((await carillon.request('GET', `/v1/webhooks/${ofCarol.id}`)).status).toBe(404)
  })
})

describe('chains', () => {
  it('an event that a dispatch caused carries its depth', { tags: 'S003-12' }, async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: ['system_event.raised'] })
    await raise(carillon, 'deep', { trigger_depth: 5 })
    expect((await waitingFor(carillon, webhook.id)).map(row => row.trigger_depth)).toEqual([5])
  })
})
