/** What happens while a webhook is not active is kept for a while, so that a recovery can send it. */
import type { NewWebhook } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  aReceiver,
  aWebhook,
  deliveriesOf,
  dispatchWebhooks,
  settledDelivery,
} from '../../../test/webhooks.ts'

const carillon = useCarillon()
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const accepted: Pick<NewWebhook, 'url' | 'events'> = {
  url: 'https://example.com/hook',
  events: ['notification.accepted'],
}
const change = (id: string, body: object) => carillon.request('PATCH', `/v1/webhooks/${id}`, { body })
const send = () =>
  carillon.send({ audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'], payload: { n: 1 } })
const sendMany = async (count: number) => {
  const ids = []
  for (let i = 0; i < count; i++) ids.push(await send())
  return ids
}
const recover = (id: string) =>
  carillon.request('POST', `/v1/webhooks/${id}/recoveries`, { body: { since: '2020-01-01T00:00:00Z' } })

it.each([
  ['Carillon disabled it', true],
  ['it was switched off', false],
])('a recovery sends what happened after %s, in order and once', async (_who, isGone) => {
  const receiver = await aReceiver()
  const webhook = await aWebhook(carillon, { ...accepted, url: receiver.url, ordering: 'endpoint' })
  const dispatcher = dispatchWebhooks(carillon)
  if (isGone) {
    receiver.answerWith(() => ({ status: 410 }))
    await send()
    await settledDelivery(carillon, webhook.id, 'failed')
  } else await change(webhook.id, { is_active: false })
  const before = receiver.requests.length
  const missed = await sendMany(3)
  const kept = await deliveriesOf(carillon, webhook.id, '?status=failed')
  expect(kept.filter(({ attempt_count }) => attempt_count === 0).map(row => row.notification_id)).toEqual(
    [...missed].reverse(),
  )
  expect(receiver.requests).toHaveLength(before)

  receiver.answerWith(() => ({ status: 200 }))
  await change(webhook.id, { is_active: true })
  const later = await send()
  await waitFor(async () => receiver.requests.length === before + 1, { what: 'what happened after that' })
  expect((await recover(webhook.id)).body.matched).toBe(3 + before)
  await waitFor(
    async () => (await deliveriesOf(carillon, webhook.id, '?status=delivered')).length === 4 + before,
    {
      what: 'what was missed',
    },
  )
  const about = receiver.requests
    .slice(before)
    .map(request => JSON.parse(String(request.body)).data.notification_id)
  expect(about.slice(-3)).toEqual(missed)
  expect(about[0]).toBe(later)
  expect((await recover(webhook.id)).body.matched).toBe(0)
  await dispatcher.stop()
})

it('explain says that the event was not sent because the webhook was not active', async () => {
  const webhook = await aWebhook(carillon, accepted)
  await change(webhook.id, { is_active: false })
  const id = await send()
  const explained = await carillon.request('GET', `/v1/records/${id}/explain`)
  expect(JSON.stringify(explained.body)).toContain('The webhook was not active.')
  await carillon.request('DELETE', `/v1/webhooks/${webhook.id}`)
})

it('nothing is kept by one that was never active, or has not been for seven days', async () => {
  const [never, longAgo] = [
    await aWebhook(carillon, { ...accepted, is_active: false }),
    await aWebhook(carillon, accepted),
  ]
  await change(longAgo.id, { is_active: false })
  const { rows } = await carillon.pool.query(
    `update notification_webhooks set keeps_events_until = now() where id = $1
     returning (select w.keeps_events_until - now() from notification_webhooks w where w.id = $1) > interval '6 days' as long`,
    [longAgo.id],
  )
  expect(rows).toEqual([{ long: true }])
  await send()
  for (const { id } of [never, longAgo]) expect(await deliveriesOf(carillon, id)).toEqual([])
})
