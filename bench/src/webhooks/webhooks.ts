/**
 * Webhooks to a receiver on this machine: how many per second, beside the same requests sent directly; and how old the
 * events of 99 healthy endpoints are on arrival, with and without an endpoint that hangs.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createAddressGuard } from '../../../server/dist/platform/outgoing/address-guard.js'
import { createKeyring, newMasterKey } from '../../../server/dist/platform/secrets/keyring.js'
import { createWebhook } from '../../../server/dist/reactions/webhooks/webhooks.js'
import { startChild } from '../child.ts'
import { atMost, type Benchmark, compare, type Result } from '../result.ts'
import { formatRate, measureRounds, median, percentile } from '../rounds.ts'
import { addDueRoutes, prepareTenant } from '../tenant.ts'
import { measureOrder } from './order.ts'
import { asRatio, type Ordering, prepare, type Setup } from './setup.ts'

const ENDPOINTS = 10
const EVENTS = 500
const HEALTHY = 99
const LATENCY_EVENTS = 20
const EVENT_EVERY_MS = 100
const WARM_UP = 50

export const benchmarkWebhooks: Benchmark = async context => {
  const { pool, url: databaseUrl } = await context.scratch.createDatabase('webhooks')
  const { id: tenantId } = await prepareTenant({ pool, url: databaseUrl })
  const masterKey = newMasterKey()
  const receiver = await startChild(new URL('./receiver-process.js', import.meta.url), {})
  const sender = await startChild(new URL('./sender-process.js', import.meta.url), { databaseUrl, masterKey })
  const address = await receiver.ask<string>('address')
  const guard = createAddressGuard(['127.0.0.0/8'])
  const parts = { keyring: createKeyring([masterKey]), guard, streams: { has: () => false } }
  const addEndpoint = async (path: string, ordering: Ordering = 'none') =>
    (await createWebhook(pool, parts, tenantId, { ...DEFAULTS, url: `${address}${path}`, ordering })).id
  const setup = { ...context, pool, tenantId, receiver, sender, address, addEndpoint }
  try {
    return [await measureRate(setup), await measureIsolation(setup), ...(await measureOrder(setup))]
  } finally {
    await Promise.all([sender.stop(), receiver.stop()])
  }
}

async function measureRate(setup: Setup): Promise<Result> {
  const { pool, tenantId, receiver, sender, address, tell } = setup
  for (let i = 0; i < ENDPOINTS; i++) await setup.addEndpoint(`/${i}`)
  const body = (await sampleBody(setup)) ?? '{}'
  const count = EVENTS * ENDPOINTS
  const run = async (variant: 'webhooks' | 'posts', events: number): Promise<number> => {
    await prepare(pool, tenantId, variant === 'webhooks' ? events : 0)
    await receiver.ask('reset')
    const arrived = receiver.ask<number>({ await: events * ENDPOINTS })
    const start = Date.now()
    if (variant === 'webhooks') await sender.ask('start')
    else await sender.ask({ posts: events * ENDPOINTS, url: `${address}/bare`, body })
    const seconds = ((await arrived) - start) / 1000
    if (variant === 'webhooks') await sender.ask('stop')
    return (events * ENDPOINTS) / seconds
  }
  tell(
    `warming up, then ${count.toLocaleString('en')} webhooks for ${ENDPOINTS} endpoints and as many posts per round`,
  )
  await run('posts', WARM_UP)
  await run('webhooks', WARM_UP)
  const rates = await measureRounds({
    rounds: setup.rounds,
    variants: ['webhooks', 'posts'] as const,
    measure: variant => run(variant, EVENTS),
    tell,
  })
  return compare({
    name: 'webhooks',
    what: 'webhooks delivered : the same posts, bare',
    measured: rates.webhooks,
    anchor: rates.posts,
    show: formatRate,
  })
}

async function measureIsolation(setup: Setup): Promise<Result> {
  const { pool, tenantId, receiver, sender, tell } = setup
  for (let i = ENDPOINTS; i < HEALTHY; i++) await setup.addEndpoint(`/${i}`)
  const hanging = await setup.addEndpoint('/hang')
  const p99 = async (isHanging: boolean): Promise<number> => {
    await pool.query('update notification_webhooks set is_active = $2 where id = $1', [hanging, isHanging])
    await prepare(pool, tenantId, 0)
    await sender.ask('start')
    await receiver.ask('reset')
    for (let i = 0; i < LATENCY_EVENTS; i++) {
      await addDueRoutes(pool, tenantId, 1)
      await delay(EVENT_EVERY_MS)
    }
    await receiver.ask({ await: LATENCY_EVENTS * HEALTHY })
    const latencies = await receiver.ask<number[]>('latencies')
    await sender.ask('stop')
    return percentile(latencies, 0.99)
  }
  tell(`${HEALTHY} healthy endpoints, ${LATENCY_EVENTS} events each, without and with one that hangs`)
  await p99(false)
  const rounds: { without: number; beside: number }[] = []
  for (let round = 0; round < setup.rounds; round++) {
    const without = await p99(false)
    const beside = await p99(true)
    rounds.push({ without, beside })
    tell(
      `round ${round + 1}/${setup.rounds}: p99 ${without.toFixed(0)} ms without, ${beside.toFixed(0)} ms with`,
    )
  }
  const ratio = median(rounds.map(({ without, beside }) => beside / without))
  return {
    ...atMost('isolation', 'p99 of 99 endpoints beside one that hangs', 0),
    ...asRatio(ratio),
    data: rounds,
  }
}

async function sampleBody({ pool, tenantId }: Setup): Promise<string | undefined> {
  await prepare(pool, tenantId, 1)
  return (await pool.query<{ payload: string }>('select payload from outbox limit 1')).rows[0]?.payload
}

const DEFAULTS = {
  description: '',
  user_id: null,
  events: ['notification.accepted' as const],
  notification_types: [],
  categories: [],
  event_kinds: [],
  headers: {},
  payload_mode: 'full' as const,
  format: 'standard' as const,
  ordering: 'none' as const,
  batch_size: 1,
  batch_seconds: 0,
  is_active: true,
  is_paused: false,
  disable_after: null,
  retry_count: 3,
  backoff: 'exponential' as const,
  retry_base_ms: 30_000,
  retry_cap_ms: 86_400_000,
  timeout_seconds: 10,
  rate_limit: null,
}
