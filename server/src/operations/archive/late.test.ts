/** Intents, reports and reads that come while their record is on its way to the archive, or in it. */
import { beforeEach, describe, expect, it } from 'vitest'
import { create } from '../../../test/calls/call.ts'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import type { Message } from '../../content/messages/message.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { ENDPOINT, waitingFor } from '../../reactions/webhooks/events.fixture.ts'
import { sweepRetention } from '../retention/retention.ts'
import { archiveOnce } from './archive.ts'
import { useFinished } from './finished.fixture.ts'
import { createMonths, moveBatch } from './queries.ts'

const carillon = useCarillon()
const { age, ids } = useFinished(carillon)

beforeEach(async () => {
  for (const table of ['records', 'records_archive', 'provider_callbacks'])
    await carillon.pool.query(`delete from ${table}`)
})

async function sentLongAgo(
  intent: object,
  provider: (message: Message) => Outcome | Promise<Outcome> = () => ({ kind: 'sent' }),
): Promise<void> {
  const worker = carillon.deliver(provider)
  await carillon.settled(await carillon.send(intent), 'sent')
  await worker.stop()
  await age(91)
}

/** Runs `meanwhile` while a mover has the records locked and has not moved them yet. */
async function whileMoving<T>(meanwhile: () => Promise<T>): Promise<T> {
  await createMonths(carillon.pool)
  const gate = await openTransaction(carillon.pool)
  await gate.client.query('lock table route_attempts_archive in access exclusive mode')
  const move = moveBatch(carillon.pool, carillon.tenantId, undefined, { records: 10, routes: 10 })
  await untilBlocked(carillon.pool, 1, 'the mover to wait')
  const answer = meanwhile()
  await untilBlocked(carillon.pool, 2, 'the other to wait for the mover')
  await gate.commit()
  expect(await move).toMatchObject({ records: 1 })
  return answer
}

describe('a key that is free again while its record is being moved', () => {
  const intent = { idempotency_key: 'again', producer: 'shop' }

  it('a key whose record is being archived accepts the next intent over HTTP', {
    tags: 'S002-29',
  }, async () => {
    await sentLongAgo(intent)
    const answer = await whileMoving(() =>
      carillon.request('POST', '/v1/intents', { body: { ...AN_INTENT, ...intent } }),
    )
    expect([answer.status, answer.body.duplicate]).toEqual([202, false])
    expect(await ids('records')).toEqual([answer.body.notification_id])
  })

  it('a key whose record is being archived accepts the next intent in an application’s transaction', {
    tags: 'S002-29',
  }, async () => {
    await sentLongAgo(intent)
    const { rows } = await whileMoving(() =>
      carillon.pool.query('select notify($1::jsonb) as id', [JSON.stringify({ ...AN_INTENT, ...intent })]),
    )
    expect(await ids('records')).toEqual([rows[0].id])
  })
})

it('webhooks are told once that a person has read an archived notification', {
  tags: 'S002-29',
}, async () => {
  await carillon.putUser('ada', {})
  const { body: webhook } = await carillon.request('POST', '/v1/webhooks', {
    body: { url: ENDPOINT, events: ['notification.read'], payload_mode: 'full' },
  })
  const write = createInboxWriter(carillon.pool)
  await sentLongAgo(
    { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['in_app'] },
    async message => {
      await write(message as Parameters<typeof write>[0])
      return { kind: 'sent' }
    },
  )
  const [id] = await ids('records')
  await carillon.pool.query('update notifications set record_id = $1', [id])
  expect(await archiveOnce(carillon.pool)).toMatchObject({ records: 1 })
  const [{ id: inbox_id }] = await carillon.readAll('/v1/inbox?user_id=ada')
  for (let n = 0; n < 2; n++)
    expect((await carillon.request('POST', `/v1/inbox/${inbox_id}/read?user_id=ada`)).status).toBe(200)
  const events = await waitingFor(carillon, webhook.id)
  expect(events.map(({ payload }) => JSON.parse(payload))).toMatchObject([
    {
      type: 'notification.read',
      data: { notification_id: id, inbox_id, route: { channel: 'in_app', user_id: 'ada' } },
    },
  ])
})

it('provider reports about messages that are gone are deleted when records of their age are', {
  tags: 'S000-31',
}, async () => {
  const provider = await create(carillon, '/v1/providers', {
    name: 'p',
    kind: 'smtp',
    config: { host: '127.0.0.1', port: 2525, from: 'a@example.com' },
  })
  await carillon.pool.query(
    `insert into provider_callbacks (tenant_id, provider_id, event_id, kind, occurred_at, received_at)
     select $1, $2, days::text, 'opened', now(), now() - make_interval(days => days) from unnest('{364,366}'::integer[]) days`,
    [carillon.tenantId, provider],
  )
  expect(await sweepRetention(carillon.pool)).toMatchObject({ unrelated_callbacks: 1 })
  const { rows } = await carillon.pool.query('select event_id from provider_callbacks')
  expect(rows).toEqual([{ event_id: '364' }])
})
