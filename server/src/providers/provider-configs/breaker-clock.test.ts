import { afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'

const carillon = useCarillon()
let id: string

beforeAll(async () => {
  const body = {
    name: 'relay',
    kind: 'smtp',
    timeout_seconds: 1,
    config: { host: '127.0.0.1', tls: 'offered', from: 'Shop <shop@example.com>' },
  }
  id = (await carillon.request('POST', '/v1/providers', { body })).body.id
})
afterEach(() => vi.useRealTimers())

/** The breaker as a process sees it that has just started. */
async function breaker() {
  const parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring })
  onTestFinished(() => parts.close())
  const [candidate] = await parts.directory.candidates(carillon.tenantId, 'email')
  return candidate!.breaker!
}

async function openUntil(when: string): Promise<void> {
  await carillon.pool.query(
    `insert into provider_health (provider_id, state, retry_at, cool_down_ms, last_error)
     values ($1, 'open', now() + $2::interval, 5000, 'it failed')
     on conflict (provider_id) do update set state = 'open', retry_at = excluded.retry_at`,
    [id, when],
  )
}

it.each([-2, 2])('a process whose clock is %i hours off waits as long as the others', async hours => {
  await openUntil('-1 second')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
  expect(await (await breaker()).admit()).toBeDefined()

  await openUntil('1 hour')
  const closedForNow = await breaker()
  expect(await closedForNow.admit()).toBeUndefined()
  // Times are stored rounded to milliseconds.
  expect(closedForNow.waitMs()).toBeLessThanOrEqual(3_600_001)
})
