/** Events in streams while processes and brokers are killed. OUTPUT_ROUNDS=30 npm test -- e2e/output-streams does it for longer. */
import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { type Broker, useNatsBroker, useRedisBroker } from '../server/test/brokers.ts'
import { canStartNats } from '../server/test/nats.ts'
import { canStartRedis } from '../server/test/redis.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

const ROUNDS = Number(process.env.OUTPUT_ROUNDS ?? 1)
const PER_ROUND = 60
// Whole processes start, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000 + ROUNDS * 20_000, hookTimeout: 90_000 })

const redis = useRedisBroker()
const nats = useNatsBroker()
const processes = useProcesses(() => ({
  CARILLON_OUTPUT_REDIS_URL: redis.options.redisUrl!,
  CARILLON_OUTPUT_NATS_URL: nats.options.natsUrl!,
  CARILLON_LEASE_SECONDS: '1',
  CARILLON_POLL_MS: '50',
}))
const { start, connect } = processes

const aMail = () => ({
  notification_type: 'code',
  idempotency_key: randomUUID(),
  audience: { kind: 'addresses' as const, channel: 'email' as const, addresses: ['ada@example.com'] },
  payload: {},
})

test.skipIf(!canStartRedis || !canStartNats)(
  'kill -9 of the dispatcher, of Redis and of NATS in turn: every event is in both streams, under one id',
  async () => {
    await start('api,delivery,fanout')
    let dispatcher = await start('dispatch')
    const events = ['notification.accepted', 'notification.sent'] as const
    for (const url of ['stream:redis', 'stream:nats'])
      await connect().webhooks.create({ url, events: [...events], payload_mode: 'thin', retry_count: 50 })

    const ids: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { items } = await connect().intents.sendBatch({
        intents: Array.from({ length: PER_ROUND }, aMail),
      })
      for (const item of items) if (item.status === 'accepted') ids.push(item.notification_id)
      await waitFor(async () => (await waiting()) > 0, { what: 'events to publish' })
      await dispatcher.end('SIGKILL')
      await redis.kill()
      dispatcher = await start('dispatch')
      await redis.restart()
      await nats.kill()
      await nats.restart()
    }
    await waitFor(async () => (await unfinished()) === 0, {
      what: 'every route and the outbox to be done',
      deadlineMs: 60_000 + ROUNDS * 10_000,
    })
    const expected = ids.flatMap(id => events.map(event => `${id} ${event}`)).sort()
    expect(ids).toHaveLength(ROUNDS * PER_ROUND)
    expect(await eventsIn(redis)).toEqual(expected)
    expect(await eventsIn(nats)).toEqual(expected)
    const { rowCount } = await processes.database.pool.query('select from dead_letters')
    expect(rowCount).toBe(0)
  },
)

/** Each event once, after making sure that its repeats have the same id and body. */
async function eventsIn(broker: Broker): Promise<string[]> {
  const { rows } = await processes.database.pool.query<{ id: string }>(
    'select tenant_id as id from notification_webhooks limit 1',
  )
  const seen = new Map<string, { id: string | undefined; body: string }>()
  for (const { headers, body } of await broker.read(rows[0]!.id)) {
    const { type, data } = JSON.parse(body)
    const key = `${data.notification_id} ${type}`
    const entry = { id: headers['webhook-id'], body }
    expect(seen.get(key) ?? entry).toEqual(entry)
    seen.set(key, entry)
  }
  return [...seen.keys()].sort()
}

const waiting = () => count('select count(*) from outbox')
const unfinished = () =>
  count(
    'select (select count(*) from outbox) + (select count(*) from routes where next_attempt_at is not null) as count',
  )

async function count(statement: string): Promise<number> {
  return Number((await processes.database.pool.query(statement)).rows[0].count)
}
