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

test('two dispatchers and kill -9 in a loop: every event arrives at least once under one id, and every row is finished', async () => {
  const ROUNDS = 4
  const PER_ROUND = 40
  const lease = { CARILLON_LEASE_SECONDS: '1', CARILLON_POLL_MS: '50' }
  await start('api,delivery,fanout')
  const webhook = await connect().webhooks.create({
    url: processes.receiver.url,
    events: ['notification.accepted', 'notification.sent'],
    retry_count: 20,
    retry_base_ms: 100,
    retry_cap_ms: 500,
  })
  // An unreliable receiver: some answers come after the next request, some are failures, some connections break.
  let isCalm = false
  let answerLate = () => {}
  processes.receiver.answerWith(async () => {
    answerLate()
    const mood = processes.receiver.requests.length % 10
    if (mood === 3) return { status: 503 }
    if (mood === 6) return 'reset'
    if (mood === 9 && !isCalm) await new Promise<void>(resolve => (answerLate = resolve))
    return { status: 200 }
  })

  const dispatchers = [await start('dispatch', lease), await start('dispatch', lease)]
  const ids: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = processes.receiver.requests.length
    for (let i = 0; i < PER_ROUND; i++)
      ids.push((await connect().intents.send(aMail(100 + ids.length))).notification_id)
    await waitFor(async () => processes.receiver.requests.length >= before + 10, { what: 'work in flight' })
    await dispatchers[round % 2]!.end('SIGKILL')
    dispatchers[round % 2] = await start('dispatch', lease)
  }
  isCalm = true
  answerLate()
  await waitFor(async () => (await count('select from outbox')) === 0, {
    what: 'the outbox to be empty',
    deadlineMs: 60_000,
  })

  const seen = new Map<string, { id: string; bodies: Set<string> }>()
  for (const { headers, body } of processes.receiver.requests) {
    const { id, type, data } = (await verifyWebhook(headers, body, webhook.secret)) as {
      id: string
      type: string
      data: { notification_id: string }
    }
    expect(headers['webhook-id']).toBe(id)
    const key = `${data.notification_id} ${type}`
    const entry = seen.get(key) ?? { id, bodies: new Set() }
    expect(entry.id).toBe(id)
    seen.set(key, { id, bodies: entry.bodies.add(body.toString()) })
  }
  expect(seen.size).toBe(2 * ids.length)
  expect([...seen.values()].filter(({ bodies }) => bodies.size > 1)).toEqual([])

  const { rows } = await processes.database.pool.query<{ ended: number; all: number; lost: number }>(
    `select count(*)::integer as all, count(*) filter (where delivered or next_retry_at is null)::integer as ended,
       count(*) filter (where not delivered)::integer as lost
     from webhook_deliveries where webhook_id = $1`,
    [webhook.id],
  )
  expect(rows[0]).toMatchObject({ all: 2 * ids.length, ended: 2 * ids.length })
  expect(await count(`select from dead_letters where target_id = '${webhook.id}'`)).toBe(rows[0]!.lost)
})

async function count(statement: string): Promise<number> {
  return (await processes.database.pool.query(statement)).rowCount ?? 0
}
