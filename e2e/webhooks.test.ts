import { verifyWebhook } from '@carillon/sdk'
import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const processes = useProcesses(() => ({ CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8' }))
const { start, connect } = processes
const aMail = (number: number) => ({
  notification_type: 'code',
  idempotency_key: `mail-${processes.url}-${number}`,
  audience: {
    kind: 'addresses' as const,
    channel: 'email' as const,
    addresses: [`user-${number}@example.com`],
  },
  payload: { title: `Number ${number}` },
})

test('what one process accepts and delivers, another reports to webhooks at once, and the SDK verifies it', async () => {
  await start('api,delivery,fanout')
  // Only a hint through the database can be this early.
  await start('dispatch', { CARILLON_POLL_MS: '60000' })
  const { id, secret } = await connect().webhooks.create({
    url: processes.receiver.url,
    events: ['notification.accepted', 'notification.sent'],
    ordering: 'notification',
  })
  const { notification_id } = await connect().intents.send(aMail(1))
  await waitFor(async () => processes.receiver.requests.length === 2, { what: 'both webhooks' })
  const events = await Promise.all(
    processes.receiver.requests.map(({ headers, body }) => verifyWebhook(headers, body, secret)),
  )
  expect(events.map(({ type }) => type)).toEqual(['notification.accepted', 'notification.sent'])
  expect(events.map(({ data }) => (data as { notification_id: string }).notification_id)).toEqual([
    notification_id,
    notification_id,
  ])
  await connect().webhooks.delete(id)
})
