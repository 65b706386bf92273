import { expect, test, vi } from 'vitest'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start and die here, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })

const EVENTS = 500
const CONNECTIONS = 8
const WORK = 'delivery,fanout'

const processes = useProcesses(receiver => ({
  CARILLON_PROVIDERS: 'sms=http',
  CARILLON_HTTP_PROVIDER_URL: receiver.url,
  CARILLON_LEASE_SECONDS: '2',
  // Few at a time, so that a kill interrupts unfinished work.
  CARILLON_DELIVERY_CONCURRENCY: '10',
}))
const { start, connect } = processes
const count = async (where: string): Promise<number> =>
  (await processes.database.pool.query(`select count(*)::integer as n from routes where ${where}`)).rows[0].n
const until = (what: string, holds: () => Promise<boolean>) =>
  waitFor(holds, { what, deadlineMs: 60_000, everyMs: 5 })

interface SentMessage {
  key: string
  count: number | undefined
  items: number | undefined
}

const sentMessages = (): SentMessage[] =>
  processes.receiver.requests.map(({ headers, body }) => {
    const { payload } = JSON.parse(body.toString())
    return { key: String(headers['idempotency-key']), count: payload.count, items: payload.items?.length }
  })
const distinct = (): SentMessage[] => [...new Map(sentMessages().map(each => [each.key, each])).values()]

test('500 events from 8 connections, with kill -9 while they are gathered and while the batch goes out, give one first message and one batch', async () => {
  await start('api')
  const client = connect()
  await client.users.put('ada', { phone: '+4915112345678' })
  await client.notificationTypes.put('storm', {
    channels: ['sms'],
    digest: { window: 3600, first_at_once: true, max_items: 1000 },
  })
  const notify = `select carillon.notify('storm', '{"kind":"users","user_ids":["ada"]}', $1::json)`
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => processes.database.pool.connect()),
  )
  const fire = (from: number, to: number) =>
    Promise.all(
      connections.map(async (connection, start) => {
        for (let n = from + start; n < to; n += CONNECTIONS)
          await connection.query(notify, [JSON.stringify({ title: `No ${n}` })])
      }),
    )

  // Both workers die while they gather, and another one takes over while the rest arrives.
  const victims = [await start(WORK), await start(WORK)]
  const first = fire(0, EVENTS / 2)
  for (const [i, gathered] of [40, 120].entries()) {
    await until(`${gathered} to be gathered`, async () => (await count("reason = 'digested'")) >= gathered)
    await victims[i]!.end('SIGKILL')
  }
  expect(await count("reason = 'digested'")).toBeLessThan(EVENTS / 2)
  await first
  const [sender] = await Promise.all([start(WORK), fire(EVENTS / 2, EVENTS)])
  for (const connection of connections) connection.release()
  await until('everything to be gathered', async () => (await count("reason = 'digested'")) === EVENTS - 1)
  expect(distinct()).toEqual([{ key: expect.any(String), count: undefined, items: undefined }])

  // The window closes; the worker that sends the batch dies before it learns that the batch arrived.
  processes.receiver.answerWith(() => 'hang')
  const before = processes.receiver.requests.length
  await processes.database.pool.query(`with digests as (update records set send_at = now() where source = 'digest')
       update routes set next_attempt_at = now() where reason = 'digest'`)
  await until('the batch to be on its way', async () => processes.receiver.requests.length > before)
  await sender.end('SIGKILL')
  processes.receiver.answerWith(() => ({}))
  await start(WORK)
  await until('the batch to be sent', async () => (await count("status = 'sent'")) === 2)

  expect(distinct().map(each => [each.count, each.items])).toEqual([
    [undefined, undefined],
    [EVENTS - 1, EVENTS - 1],
  ])
  const digests = await processes.database.pool.query('select item_count from digests')
  expect(digests.rows).toEqual([{ item_count: EVENTS - 1 }])
  expect(await count('next_attempt_at is not null')).toBe(0)
  expect(await count("status = 'dead'")).toBe(0)
})
