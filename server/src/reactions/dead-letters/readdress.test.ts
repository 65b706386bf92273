import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()
let worker: Service | undefined

beforeAll(async () => {
  await carillon.putUser('op', { email: 'op@example.com' })
  await carillon.putUser('ada', { email: 'wrong@example.com', phone: '+4915112345678' })
})
afterEach(() => worker?.stop())

const replay = (id: string, body: object, key = carillon.key) =>
  carillon.request('POST', `/v1/dead-letters/${id}/replay`, { body, key })

async function deadLetter(intent: object = {}): Promise<{ id: string; notification_id: string }> {
  worker = carillon.deliver((): Outcome => ({ kind: 'permanent', message: 'No such mailbox' }))
  const audience = { kind: 'users', user_ids: ['ada'] }
  const record = await carillon.send({ audience, channels: ['email'], ...intent })
  await carillon.settled(record, 'dead')
  await worker.stop()
  const letters = await carillon.readAll(`/v1/dead-letters?notification_id=${record}`)
  return letters[0]
}

describe('replaying a letter to another address', () => {
  it('sends it there, and says who changed that in the explanation and the audit log', async () => {
    const letter = await deadLetter()
    const { key } = await carillon.createKey({ name: 'op', scopes: ['dead_letters:write'], user_id: 'op' })
    const answer = await replay(letter.id, { address: ' <Right@EXAMPLE.com> ' }, key)
    expect(answer.body).toMatchObject({
      resolution: 'replayed',
      resolved_by: 'op',
      replayed_to: 'Right@example.com',
    })
    const addresses: string[] = []
    worker = carillon.deliver(message => {
      addresses.push(message.address)
      return { kind: 'sent' }
    })
    await carillon.settled(letter.notification_id, 'sent')
    expect(addresses).toEqual(['Right@example.com'])
    const explained = await carillon.request('GET', `/v1/records/${letter.notification_id}/explain`)
    const texts = explained.body.people[0].routes[0].decisions.map(({ text }: { text: string }) => text)
    expect(texts[0]).toContain('To wrong@example.com on email')
    expect(texts).toContain(
      'Dead letter replayed by op, who changed the address from wrong@example.com to Right@example.com.',
    )
    const [row] = await carillon.readAll(`/v1/audit-logs?resource_id=${letter.id}`)
    expect(row).toMatchObject({
      user_id: 'op',
      action: 'replay',
      new_values: { replayed_to: 'Right@example.com' },
    })
  })

  it('by a key of nobody tells of an operator', async () => {
    const letter = await deadLetter()
    await replay(letter.id, { address: 'right@example.com' })
    const explained = await carillon.request('GET', `/v1/records/${letter.notification_id}/explain`)
    expect(JSON.stringify(explained.body)).toContain(
      'Dead letter replayed by an operator, who changed the address',
    )
  })

  it('refuses what is no address of the channel', async () => {
    const letter = await deadLetter()
    const problem = problemOf(await replay(letter.id, { address: 'nobody' }))
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field: 'address' }] })
    const sms = await deadLetter({ channels: ['sms'] })
    expect(problemOf(await replay(sms.id, { address: 'ada@example.com' })).detail).toContain('E.164')
    expect((await replay(sms.id, { address: '+49 151 999-99999' })).body.replayed_to).toBe('+4915199999999')
  })

  it('refuses a suppressed address, however it is written, and leaves the letter open', async () => {
    const letter = await deadLetter()
    const body = { channel: 'email', address: 'gone@example.com' }
    await carillon.request('POST', '/v1/suppressions', { body })
    const problem = problemOf(await replay(letter.id, { address: 'Gone@Example.com' }))
    expect(problem).toMatchObject({ status: 409, code: 'address_suppressed', errors: [{ field: 'address' }] })
    expect(await carillon.readAll(`/v1/dead-letters?notification_id=${letter.notification_id}`)).toHaveLength(
      1,
    )
  })

  it('refuses what is not sent to an address', async () => {
    const { rows } = await carillon.pool.query(
      `insert into dead_letters (tenant_id, source_kind, notification_type, recipient_ref, final_attempt_count, max_attempts,
         failure_reason, failure_classification, failure_message, created_at, original_event_id, source, target_id, payload,
         dispatch)
       values ($1, 'outbox', '', '', 1, 1, 'permanent_failure', 'permanent', '', now(), $2, 'webhook', $2, '{}', '{}')
       returning id`,
      [carillon.tenantId, randomUUID()],
    )
    const problem = problemOf(await replay(rows[0].id, { address: 'ada@example.com' }))
    expect(problem).toMatchObject({ status: 422, code: 'no_address' })
  })

  it('is a conflict after somebody else was faster, and finds nothing of others', async () => {
    const letter = await deadLetter()
    const { key } = await carillon.createTenant('neighbour')
    expect((await replay(letter.id, { address: 'a@example.com' }, key)).status).toBe(404)
    await replay(letter.id, {})
    const late = problemOf(await replay(letter.id, { address: 'a@example.com' }))
    expect(late.code).toBe('already_resolved')
    const [route] = await carillon.routesOf(letter.notification_id)
    expect(route!.resolved_address).toBe('wrong@example.com')
  })
})
