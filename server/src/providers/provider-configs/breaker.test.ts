import { uuidv7 } from 'uuidv7'
import { beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { upsertEnvironmentProvider } from './environment-queries.ts'
import { selectEnvironmentProviders } from './queries.ts'

const database = useDatabase()
const PROBE_TIMEOUT_MS = 30_000
let id: string
let clockMs: number
let happened: string[]

beforeEach(async () => {
  clockMs = Date.now()
  happened = []
  await database.pool.query('delete from provider_configs')
  const row = { id: uuidv7(), channel: 'sms', name: 'http', config: {}, settings_hash: '' } as const
  id = (await upsertEnvironmentProvider(database.pool, { ...row, rate_limit: null, timeout_seconds: 1 }))!
})

/** The breaker as one process has it. */
const aBreaker = (probeTimeoutMs = PROBE_TIMEOUT_MS) =>
  createBreaker({
    pool: database.pool,
    providerId: id,
    threshold: 2,
    coolDownMs: 5000,
    probeTimeoutMs,
    onOpened: async (_tx, error) => void happened.push(`opened: ${error}`),
    onClosed: async () => void happened.push('closed'),
    now: () => clockMs,
  })
const stored = async () => (await selectEnvironmentProviders(database.pool))[0]!
async function refresh(breaker: Breaker): Promise<void> {
  const row = await stored()
  breaker.refresh({ state: row.breaker_state, waitMs: row.breaker_wait_ms })
}
/**
 * Both clocks: that of the processes, and that of the database by moving what it compares with, and a millisecond more, as
 * times are stored rounded.
 */
async function passTime(ms: number): Promise<void> {
  clockMs += ms
  await database.pool.query(
    'update provider_health set retry_at = retry_at - make_interval(secs => $1::float8 / 1000)',
    [ms + 1],
  )
}
async function open(breaker: Breaker): Promise<void> {
  for (let i = 0; i < 2; i++) await (await breaker.admit())!.failed('away')
  await passTime(6000)
  // What passTime() took from the row, the clock has gained already.
  breaker.refresh({ state: 'open', waitMs: 0 })
}

describe('a breaker', () => {
  it('opens after failures in a row, admits one probe after the cool-down, and closes when it succeeds', async () => {
    const [one, other] = [aBreaker(), aBreaker()]
    await open(one)
    expect(happened).toEqual(['opened: away'])
    other.refresh({ state: 'open', waitMs: 0 })
    const probe = await one.admit()
    expect([await one.admit(), await other.admit()]).toEqual([undefined, undefined])
    expect(one.waitMs()).toBeGreaterThan(0)
    await probe!.succeeded()
    expect(happened).toEqual(['opened: away', 'closed'])
    await refresh(other)
    expect(await other.admit()).toBeDefined()
  })

  it('a probe that never reports gives way to another, in its own process and in others', async () => {
    // Probes are known by when they count as lost; moved clocks would make these times equal.
    const [one, other] = [aBreaker(), aBreaker(PROBE_TIMEOUT_MS + 1000)]
    await open(one)
    const lost = await one.admit()
    expect(lost).toBeDefined()
    await passTime(PROBE_TIMEOUT_MS)
    const second = await one.admit()
    expect(second).toBeDefined()
    await passTime(PROBE_TIMEOUT_MS)
    other.refresh({ state: 'half_open', waitMs: 0 })
    const third = await other.admit()
    expect(third).toBeDefined()
    // The lost ones report after all: the third is still under way.
    await lost!.failed('late')
    await second!.inconclusive()
    expect(await stored()).toMatchObject({ breaker_state: 'half_open', breaker_error: 'away' })
    await third!.succeeded()
    expect(await stored()).toMatchObject({ breaker_state: 'closed' })
  })

  it('a probe that told nothing is given back: another may follow, after as long as it was told', async () => {
    const one = aBreaker()
    await open(one)
    await (await one.admit())!.inconclusive()
    expect(await stored()).toMatchObject({ breaker_state: 'open', breaker_error: 'away' })
    await (await one.admit())!.inconclusive(20_000)
    expect(one.waitMs()).toBe(20_000)
    expect(await one.admit()).toBeUndefined()
  })

  it('an answer to a message that was under way before is not the answer of the probe', async () => {
    const one = aBreaker()
    const before = (await one.admit())!
    await open(one)
    const probe = await one.admit()
    await before.failed('slow')
    expect(await stored()).toMatchObject({ breaker_state: 'half_open' })
    await probe!.succeeded()
    expect(await stored()).toMatchObject({ breaker_state: 'closed' })
  })

  it('does not open for a provider that is switched off or gone', async () => {
    await database.pool.query('update provider_configs set is_active = false')
    const one = aBreaker()
    for (let i = 0; i < 2; i++) await (await one.admit())!.failed('away')
    await database.pool.query('delete from provider_configs')
    const other = aBreaker()
    for (let i = 0; i < 2; i++) await (await other.admit())!.failed('away')
    expect(happened).toEqual([])
  })
})
