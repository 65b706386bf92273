import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const NUMBER = '+4915112345678'
let sent = 0

async function expectTo(status: 'sent' | 'skipped', channel: 'sms' | 'chat', address: string): Promise<void> {
  const id = await carillon.send({
    audience: { kind: 'addresses', channel, addresses: [address] },
    channels: [channel],
    idempotency_key: `whatsapp-${++sent}`,
  })
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const [route] = await carillon.settled(id, status)
  await worker.stop()
  expect(route!.reason).toBe(status === 'sent' ? '' : 'suppressed')
}
const suppress = (channel: string, address: string) =>
  carillon.request('POST', '/v1/suppressions', { body: { channel, address } })

it.each(['sms', 'chat'] as const)(
  'a suppressed number is not reached on WhatsApp by %s either',
  async channel => {
    await expectTo('sent', channel, `whatsapp:${NUMBER}`)
    await suppress(channel, NUMBER)
    await expectTo('skipped', channel, `whatsapp:${NUMBER}`)
  },
)

it('a number suppressed on WhatsApp alone still gets text messages', async () => {
  await suppress('sms', 'whatsapp:+4915112345679')
  await expectTo('skipped', 'sms', 'whatsapp:+4915112345679')
  await expectTo('sent', 'sms', '+4915112345679')
})
