import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { startDispatcher } from '../../../test/dispatching.ts'
import { aReceiver, aWebhook, dispatchWebhooks } from '../../../test/webhooks.ts'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { createEndpointDirectory } from '../webhooks/endpoints.ts'
import { createUnreadableReport } from '../webhooks/unreadable.ts'
import { createWebhookHandler } from './handler.ts'

const carillon = useCarillon()
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

it('a dispatcher without the master key leaves events to one that has it, and tells the operator', async () => {
  const receiver = await aReceiver()
  await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
  const { pool, providers } = carillon
  const keyring = createKeyring([newMasterKey()])
  const without = startDispatcher(pool, [
    createWebhookHandler({
      ...providers.outgoing,
      endpoints: createEndpointDirectory({ pool, keyring }),
      maxPerEndpoint: 8,
      onUnreadable: createUnreadableReport(pool, () => {}),
    }),
  ])
  await carillon.send({ audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] })
  await expect.poll(() => without.dispatched.length).toBeGreaterThan(0)
  expect(without.dispatched[0]?.completion).toMatchObject({ action: 'retry', uses_attempt: false })
  const events = async () =>
    (await carillon.request('GET', '/v1/system-events?event_type=secrets_unreadable&state=open')).body.data
  await expect.poll(events).toMatchObject([{ tenant_id: null, severity: 'high' }])
  await without.stop()

  await pool.query('update outbox set next_attempt_at = now()')
  dispatchWebhooks(carillon)
  await expect.poll(() => receiver.requests.length).toBe(1)
})
