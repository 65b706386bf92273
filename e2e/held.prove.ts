/** A restored instance that nobody has decided about yet: every role of it runs, and nothing leaves it. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { canStartRedis, useRedis } from '../server/test/redis.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { runCarillon } from './carillon-process.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start here, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })

describe.skipIf(!canStartRedis)('an instance that is held', () => {
  const broker = useRedis()
  let redis: Redis
  beforeAll(() => {
    redis = new Redis(broker.url)
  })
  afterAll(() => redis.disconnect())
  const processes = useProcesses(receiver => ({
    CARILLON_PROVIDERS: 'sms=http',
    CARILLON_HTTP_PROVIDER_URL: `${receiver.url}/sms`,
    CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
    CARILLON_OUTPUT_REDIS_URL: broker.url,
    CARILLON_STREAMS: JSON.stringify([{ name: 'orders', url: broker.url, key: 'intents' }]),
    CARILLON_POLL_MS: '200',
  }))
  const { start, connect } = processes
  const aText = (body: string) => ({
    notification_type: 'code',
    audience: { kind: 'addresses' as const, channel: 'sms' as const, addresses: ['+41790000000'] },
    payload: { body },
  })
  const anSms = (body: string, more: object = {}) => ({ ...aText(body), idempotency_key: body, ...more })
  const restore = async (decision: string) => {
    const { exited } = runCarillon(['restore', decision], { DATABASE_URL: processes.database.url })
    expect((await exited).code).toBe(0)
  }
  const TEXTS = ['due', 'from a stream', 'later', 'scheduled']
  const to = (end: string) => processes.receiver.requests.filter(({ path }) => path.endsWith(end))
  const texts = () => to('/sms').map(({ body }) => TEXTS.find(text => body.toString().includes(`"${text}"`)))
  const published = async () =>
    (await Promise.all((await redis.keys('carillon:events:*')).map(key => redis.xlen(key)))).reduce(
      (sum, length) => sum + length,
      0,
    )

  test('neither sends, calls, runs, publishes nor acknowledges anything, says so, and goes on when it is released', {
    tags: 'S002-31',
  }, async () => {
    const { pool } = processes.database
    const first = await start('api')
    const events = ['notification.accepted' as const]
    await connect().webhooks.create({ url: `${processes.receiver.url}/hook`, events })
    await connect().webhooks.create({ url: 'stream:redis', events })
    await connect().schedules.create({
      name: 'Daily',
      cron: '0 9 * * *',
      timezone: 'UTC',
      intent: aText('scheduled'),
    })
    await connect().intents.send(anSms('due'))
    await first.end('SIGTERM')
    await restore('hold')

    // What becomes due while it waits.
    await pool.query(`update schedules set next_run_at = now()`)
    await redis.xadd('intents', '*', 'intent', JSON.stringify(anSms('from a stream')))
    const health = await Promise.all([freePort(), freePort()])
    await start('api')
    await start('ingest,fanout', { CARILLON_HEALTH_PORT: String(health[0]) })
    await start('delivery,dispatch,maintenance', { CARILLON_HEALTH_PORT: String(health[1]) })
    const laterAt = Date.now() + 1000
    await connect().intents.send(anSms('later', { send_at: new Date(laterAt).toISOString() }))
    for (const url of [processes.url, ...health.map(port => `http://127.0.0.1:${port}`)]) {
      const ready = await fetch(`${url}/readyz`)
      expect([ready.status, await ready.json()]).toEqual([
        200,
        { status: 'ready', note: expect.stringContaining('carillon restore release') },
      ])
    }
    const page = await fetch(processes.url, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('restored from a backup')
    await waitFor(async () => Date.now() > laterAt + 3000, { what: 'several rounds of everybody' })
    expect([processes.receiver.requests.length, await published()]).toEqual([0, 0])
    expect(await redis.xinfo('GROUPS', 'intents')).toEqual([])
    expect((await pool.query('select from routes')).rowCount).toBe(2)

    await restore('release')
    await waitFor(async () => texts().length >= 4 && to('/hook').length >= 4 && (await published()) >= 4, {
      what: 'everything',
      deadlineMs: 30_000,
    })
    expect(texts().toSorted()).toEqual(TEXTS)
    expect([to('/hook').length, await published()]).toEqual([4, 4])
    expect(await redis.xpending('intents', 'carillon')).toEqual([0, null, null, null])
    expect(await (await fetch(`${processes.url}/readyz`)).json()).toEqual({ status: 'ready' })
  })
})
