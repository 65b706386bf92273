import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
const sendTo = (address: string) =>
  carillon.send({ audience: { kind: 'addresses', channel: 'email', addresses: [address] } })

it('an address that the provider reports as dead gets nothing more, and explain says why', async () => {
  const asked: string[] = []
  const worker = carillon.deliver(message => {
    asked.push(message.address)
    return { kind: 'permanent', message: 'mailbox gone', suppress: 'hard_bounce' } satisfies Outcome
  })
  await carillon.settled(await sendTo('Gone@Example.com'), 'dead')
  const id = await sendTo('gone@example.com')
  const [route] = await carillon.settled(id, 'skipped')
  await worker.stop()
  expect(asked).toEqual(['Gone@example.com'])
  expect(route).toMatchObject({ reason: 'suppressed', attempt_count: 0 })
  const { people } = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
  expect(JSON.stringify(people)).toContain('hard bounce')
})

it('operators list, add and remove suppressions', async () => {
  const body = { channel: 'email', address: 'Stop@Example.com', detail: 'asked by phone' }
  expect((await carillon.request('POST', '/v1/suppressions', { body })).body).toMatchObject({
    address: 'stop@example.com',
    reason: 'manual',
  })
  const found = await carillon.request('GET', '/v1/suppressions?channel=email&address=STOP@example.com')
  expect(found.body.data).toHaveLength(1)
  const remove = () => carillon.request('DELETE', '/v1/suppressions?channel=email&address=stop@example.com')
  expect((await remove()).status).toBe(204)
  expect((await remove()).status).toBe(404)
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  await carillon.settled(await sendTo('stop@example.com'), 'sent')
  await worker.stop()
})

it('each tenant has its own suppressions, and the first reason of one stays', async () => {
  const other = await carillon.createTenant('other suppressions')
  const body = { channel: 'email', address: 'shared@example.com' }
  await carillon.request('POST', '/v1/suppressions', { body, key: other.key })
  expect((await carillon.request('GET', '/v1/suppressions?address=shared@example.com')).body.data).toEqual([])
  await carillon.pool.query(
    `update suppressions set reason = 'complaint' where address = 'shared@example.com'`,
  )
  const again = await carillon.request('POST', '/v1/suppressions', { body, key: other.key })
  expect(again.body.reason).toBe('complaint')
})

it('pages of suppressions with equal times lose and repeat none', async () => {
  await carillon.pool.query(
    `insert into suppressions (tenant_id, channel, address, reason, created_at)
     select $1, 'sms', '+49' || n, 'manual', '2026-01-01' from generate_series(1000, 1006) n`,
    [carillon.tenantId],
  )
  const seen: string[] = []
  let cursor = ''
  do {
    const page = (await carillon.request('GET', `/v1/suppressions?channel=sms&limit=2${cursor}`)).body
    seen.push(...page.data.map((row: { address: string }) => row.address))
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
  } while (cursor !== '')
  expect(seen).toEqual(['+491000', '+491001', '+491002', '+491003', '+491004', '+491005', '+491006'])
})
