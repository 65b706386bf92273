import { expect, test, vi } from 'vitest'
import { readExposition } from '../server/test/exposition.ts'
import { freePort } from '../server/test/free-port.ts'
import { waitFor } from '../server/test/wait-for.ts'
import type { CarillonProcess } from './carillon-process.ts'
import { useProcesses } from './processes.fixture.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 90_000 })

const WORK = 'delivery,fanout,dispatch,maintenance'

const processes = useProcesses(receiver => ({
  CARILLON_PROVIDERS: 'sms=http',
  CARILLON_HTTP_PROVIDER_URL: receiver.url,
}))
const { start, connect } = processes

const anSms = (number: number) => ({
  notification_type: 'code',
  idempotency_key: `sms-${processes.url}-${number}`,
  audience: { kind: 'addresses' as const, channel: 'sms' as const, addresses: [`+49151000000${number}`] },
  payload: { body: `Your code is ${number}.` },
})

async function allSent(ids: string[]): Promise<void> {
  const isSent = async (id: string) => (await connect().records.get(id)).routes.sent === 1
  await waitFor(async () => (await Promise.all(ids.map(isSent))).every(Boolean), {
    what: 'every message to be sent',
    deadlineMs: 30_000,
  })
}

test('processes with one role each say that they live and are ready, and what one accepts the others do at once, without waiting for their poll', async () => {
  // Only a hint through the database can be this early.
  const poll = { CARILLON_POLL_MS: '60000' }
  const ports = [await freePort(), await freePort()]
  const startWithPort = (role: string, port: number) =>
    start(role, { ...poll, CARILLON_HEALTH_PORT: String(port) })
  const api = await startWithPort('api', ports[0]!)
  const [ingest, ...workers] = await Promise.all([
    startWithPort('ingest', ports[1]!),
    // Each finds a port of its own.
    ...['delivery', 'fanout', 'dispatch', 'maintenance'].map(role => start(role, poll)),
  ])
  const urls = [api, ingest, ...workers].map(({ stderr }) => /Health {4}(\S+)\/readyz/.exec(stderr)?.[1])
  expect(urls.slice(0, 2)).toEqual(ports.map(port => `http://127.0.0.1:${port}`))
  expect(new Set(urls).size).toBe(6)
  await Promise.all(urls.map(url => expectHealth(url!)))
  for (const { stderr } of [ingest, ...workers]) expect(stderr).not.toContain('API  ')

  await untilListening(3)
  const { notification_id } = await connect().intents.send(anSms(1))
  await allSent([notification_id])
  expect(processes.receiver.requests).toHaveLength(1)

  for (const id of ['ada', 'bob', 'cleo']) await connect().users.put(id, { phone: '+4915100000000' })
  const everybody = await connect().intents.send({
    notification_type: 'news',
    audience: { kind: 'tenant' },
    channels: ['in_app', 'sms'],
    payload: { body: 'For everybody' },
  })
  await waitFor(async () => (await connect().records.get(everybody.notification_id)).routes.sent === 6, {
    what: 'six routes to be sent',
  })
})

test('a worker that stops gives back what it cannot finish; a living one keeps its routes, and after kill -9 another takes them over when the lease ends, under the same ids', {
  tags: ['S000-20', 'S000-26'],
}, async () => {
  processes.receiver.answerWith(() => 'hang')
  const port = await freePort()
  await start('api')
  // The stop ends the attempt as uncertain, which is tried again after the usual pause.
  await connect().tenant.update({ retry_base_ms: 100, retry_cap_ms: 1_000 })
  const stopping = await start(WORK, {
    CARILLON_LEASE_SECONDS: '300',
    CARILLON_HEALTH_PORT: String(port),
    CARILLON_SHUTDOWN_SECONDS: '3',
  })
  const { notification_id } = await connect().intents.send(anSms(9))
  await waitFor(async () => processes.receiver.requests.length === 1, { what: 'a hanging request' })

  processes.receiver.answerWith(() => ({}))
  const lease = { CARILLON_LEASE_SECONDS: '2' }
  const first = await start(WORK, lease)
  const ended = stopping.end('SIGTERM')
  const readiness = await waitFor(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
      return answer.status === 503 && answer.json()
    },
    { what: 'the worker to say that it stops' },
  )
  expect(readiness).toEqual({ status: 'stopping' })
  expect((await ended).code).toBe(0)
  // Its lease would have been a matter of minutes.
  await allSent([notification_id])
  expect(processes.receiver.requests).toHaveLength(2)

  await loseToKill(first, () => start(WORK, lease))
})

/** Kills the worker when it has messages in flight, and expects the other, started meanwhile, to send them. */
async function loseToKill(first: CarillonProcess, startAnother: () => Promise<CarillonProcess>) {
  processes.receiver.requests.length = 0
  processes.receiver.answerWith(() => 'hang')
  const ids = await Promise.all(
    [1, 2, 3, 4, 5].map(async n => (await connect().intents.send(anSms(n))).notification_id),
  )
  await waitFor(async () => processes.receiver.requests.length === 5, { what: 'five hanging requests' })
  const second = await startAnother()

  // The worker renews its leases: they now end later than the first ones, and nobody took over.
  const firstEnd = await leaseEnd()
  await waitFor(async () => (await leaseEnd()) > firstEnd + 2_500, { what: 'the leases to be renewed' })
  expect(processes.receiver.requests).toHaveLength(5)

  processes.receiver.answerWith(() => ({}))
  const end = await leaseEnd()
  await first.end('SIGKILL')
  await allSent(ids)
  expect(Date.now()).toBeGreaterThan(end)

  const keys = processes.receiver.requests.map(request => request.headers['idempotency-key'])
  expect(keys).toHaveLength(10)
  expect(new Set(keys).size).toBe(5)
  for (const notification_id of ids) {
    const { data } = await connect().records.routes(notification_id)
    const attempts = (await connect().routes.attempts(data[0]!)).data
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'sent'])
    expect(attempts[0]!.worker).toContain(`:${first.pid}:`)
    expect(attempts[1]!.worker).toContain(`:${second.pid}:`)
  }
}

async function expectHealth(url: string): Promise<void> {
  const statuses = ['/healthz', '/readyz', '/metrics', '/v1/records'].map(
    async path => (await fetch(url + path)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 200, 200, 404])
  const families = readExposition(await (await fetch(`${url}/metrics`)).text())
  expect([...families.keys()]).toEqual(
    expect.arrayContaining(['carillon_build_info', 'process_cpu_seconds_total']),
  )
}

/** When the earliest lease of the messages in flight ends, by the database's clock. */
async function leaseEnd(): Promise<number> {
  const { rows } = await processes.database.pool.query<{ end: Date }>(
    'select min(lease_until) as end from routes',
  )
  return rows[0]!.end.getTime()
}

/** Waits until this many workers listen for hints. */
async function untilListening(count: number): Promise<void> {
  const listening = `select from pg_stat_activity where datname = current_database() and query like 'listen carillon_due%'`
  await waitFor(async () => (await processes.database.pool.query(listening)).rowCount === count, {
    what: 'a worker to listen',
  })
}
