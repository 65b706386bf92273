import { describe, expect, test, vi } from 'vitest'
import { openStream } from '../server/test/event-stream.ts'
import { canStartPgBouncer, usePgBouncer } from '../server/test/pgbouncer.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const processes = useProcesses(receiver => ({
  CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
  CARILLON_PROVIDERS: 'sms=http',
  CARILLON_HTTP_PROVIDER_URL: receiver.url,
}))
const { start, connect } = processes

/** Backends of the server that a process of Carillon is connected to, other than by the pooler. */
async function connections(name = 'carillon'): Promise<number> {
  const { rows } = await processes.database.pool.query(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
    [name],
  )
  return rows[0].count
}

describe.runIf(canStartPgBouncer)('behind PgBouncer in transaction mode', () => {
  const pgbouncer = usePgBouncer()
  const pooler = () => ({ CARILLON_POOLER_URL: pgbouncer.through(processes.database.url) })
  test('every role does its work, in two processes that wake each other', async () => {
    await pgbouncer.prepare(processes.database.url)
    const more = { ...pooler(), CARILLON_POLL_MS: '60000' }
    await start('api', more)
    await connect().schedules.create({
      name: 'soon',
      cron: '* * * * *',
      intent: {
        notification_type: 'reminder',
        audience: { kind: 'addresses', channel: 'sms', addresses: ['+4915100000002'] },
        payload: { body: 'A reminder' },
      },
    })
    // No hint tells of a time that has come; the first round finds it.
    await processes.database.pool.query('update schedules set next_run_at = now()')
    await start('delivery,fanout,dispatch,maintenance', more)
    await connect().users.put('ada', { phone: '+4915100000001' })
    await connect().webhooks.create({ url: `${processes.receiver.url}/hook`, events: ['notification.sent'] })
    const headers = { authorization: `Bearer ${processes.apiKey()}` }
    const stream = await openStream(processes.url, '/v1/inbox/stream?user_id=ada', headers)
    await stream.event(0)

    await connect().intents.send({
      notification_type: 'code',
      audience: { kind: 'users', user_ids: ['ada'] },
      channels: ['sms'],
      payload: { body: 'Your code' },
    })
    await connect().events.emit({ kind: 'mentioned', relations: { mention: ['ada'] } })

    const bodies = () => processes.receiver.requests.map(({ body }) => body.toString()).join('\n')
    const missing = () =>
      ['Your code', 'A reminder', 'notification.sent'].filter(text => !bodies().includes(text))
    await expect.poll(missing).toEqual([])
    await waitFor(async () => (await connect().inbox.list('ada')).data.length === 1, {
      what: 'the row in the inbox',
    })
    expect(await stream.event(1)).toMatchObject({
      event: expect.stringMatching(/changed|inbox|notification/),
    })
    stream.close()

    const stats = await pgbouncer.ask('show stats_totals')
    const [own] = stats.filter(({ database }) => processes.database.url.endsWith(`/${database}`))
    expect(Number(own.query_count)).toBeGreaterThan(50)
  })
})

describe('the connections of a process', () => {
  test('under load there are as many as the settings allow, one to listen and two for maintenance', async () => {
    const CARILLON_DATABASE_POOL = '5'
    await start('api,delivery,fanout,dispatch,maintenance', {
      CARILLON_DATABASE_POOL,
      CARILLON_CLEANUP_SECONDS: '1',
    })
    const before = await connections()
    let most = before
    let isLoaded = true
    const send = async (n: number) => {
      await connect().intents.send({
        notification_type: 'code',
        idempotency_key: `load-${n}`,
        audience: { kind: 'addresses', channel: 'sms', addresses: [`+49151${10_000_000 + n}`] },
        payload: { body: `Number ${n}` },
      })
      await connect().records.list({ limit: 100 })
    }
    const load = Promise.all(Array.from({ length: 300 }, (_, n) => send(n))).finally(() => {
      isLoaded = false
    })
    while (isLoaded) most = Math.max(most, await connections())
    await load
    await waitFor(
      async () => {
        most = Math.max(most, await connections())
        return processes.receiver.requests.length >= 300
      },
      { what: 'every message to be sent', deadlineMs: 60_000 },
    )
    expect(most).toBeGreaterThan(5)
    expect(most).toBeLessThanOrEqual(5 + 1 + 2)
  })
})
