import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Allowance, createLimiter, type LimitedCaller } from './limiter.ts'
import type { LimitStore, RequestAsk } from './store.ts'

const MINUTE = 60_000

/** A store shared by several processes, with a clock that the test moves; it records what it was asked. */
function createFakeStore() {
  const clock = { ms: 1 }
  const counts = new Map<string, number>()
  const asked: RequestAsk[][] = []
  const store: LimitStore & { isAway: boolean } = {
    isAway: false,
    async countRequests(asks) {
      asked.push(asks)
      if (store.isAway) throw new Error('away')
      return asks.map(({ caller, limit_type, window_seconds, limit, wanted }) => {
        const size = window_seconds * 1000
        const name = JSON.stringify([caller, limit_type, Math.floor(clock.ms / size)])
        const before = counts.get(name) ?? 0
        const granted = Math.max(0, Math.min(wanted, limit - before))
        counts.set(name, before + granted)
        return { granted, used: before + granted, reset_ms: size - (clock.ms % size) }
      })
    },
    countTry: () => Promise.reject(new Error('not asked here')),
  }
  const newProcess = () => createLimiter({ store, now: () => clock.ms })
  return { clock, counts, asked, store, newProcess }
}

const caller = (limits: Partial<LimitedCaller>): LimitedCaller => ({
  tenant_id: 't',
  user_id: 'ada',
  api_key_id: 'k',
  requests_per_minute: null,
  notifications_per_day: null,
  ...limits,
})

it('a limiter without a limit asks no store and waits for nothing', { tags: 'S002-25' }, () => {
  const { asked, newProcess } = createFakeStore()
  const limiter = newProcess()
  expect(limiter.takeRequest(caller({}))).toBeUndefined()
  expect(limiter.takeNotifications(caller({}), 5)).toBeUndefined()
  expect(asked).toEqual([])
})

it.each([1, 7, 100, 250, 6000])(
  'four processes together never pass more than %i requests',
  { tags: 'S002-25' },
  async limit => {
    const { newProcess, clock } = createFakeStore()
    const processes = [newProcess(), newProcess(), newProcess(), newProcess()]
    let passed = 0
    for (let round = 0; round < limit; round++) {
      const answers = await Promise.all(
        processes.map(process => process.takeRequest(caller({ requests_per_minute: limit }))!),
      )
      passed += answers.reduce((sum, answer) => sum + answer.granted, 0)
    }
    expect(passed).toBeLessThanOrEqual(limit)
    // Each process may have kept one share of a hundredth for itself.
    expect(passed).toBeGreaterThanOrEqual(limit - 4 * Math.floor(limit / 100))
    clock.ms += MINUTE
    expect((await processes[0]!.takeRequest(caller({ requests_per_minute: limit })))!.granted).toBe(1)
  },
)

it('a limiter asks about once per hundredth of the limit, and once for requests that come together', {
  tags: 'S002-25',
}, async () => {
  const { asked, newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ requests_per_minute: 10_000 })
  for (let n = 0; n < 10_000; n++) await limiter.takeRequest(who)
  expect(asked.length).toBeLessThanOrEqual(101)
  const together = createFakeStore()
  const busy = together.newProcess()
  const few = caller({ requests_per_minute: 50 })
  const answers = await Promise.all(Array.from({ length: 80 }, () => busy.takeRequest(few)!))
  expect(answers.filter(answer => answer.granted === 1)).toHaveLength(50)
  expect(together.asked).toHaveLength(1)
})

it('a limiter asks no more often when requests never pause, as one answer serves all that wait', {
  tags: 'S002-25',
}, async () => {
  const { asked, clock, store } = createFakeStore()
  const slow: LimitStore = {
    ...store,
    async countRequests(asks) {
      const answers = await store.countRequests(asks)
      for (let turn = 0; turn < 3; turn++) await setImmediate()
      return answers
    },
  }
  const limiter = createLimiter({ store: slow, now: () => clock.ms })
  const taken: Promise<Allowance>[] = []
  for (let n = 0; n < 1000; n++) {
    taken.push(limiter.takeRequest(caller({ requests_per_minute: 10_000 }))!)
    await setImmediate()
  }
  expect((await Promise.all(taken)).every(answer => answer.granted === 1)).toBe(true)
  expect(asked.length).toBeLessThanOrEqual(10)
})

it('a limiter refuses from memory until the window ends', { tags: 'S002-25' }, async () => {
  const { asked, clock, newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ requests_per_minute: 2 })
  clock.ms = 10_000
  for (let n = 0; n < 2; n++) await limiter.takeRequest(who)
  const questions = asked.length
  for (let n = 0; n < 1000; n++) {
    expect(await limiter.takeRequest(who)).toEqual({ granted: 0, limit: 2, remaining: 0, resetMs: 50_000 })
  }
  expect(asked.length).toBe(questions)
  clock.ms = MINUTE
  expect(await limiter.takeRequest(who)).toMatchObject({ granted: 1, remaining: 1, resetMs: MINUTE })
})

it('a limiter states what is left in the store and in the process', async () => {
  const { newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ requests_per_minute: 300 })
  const left = []
  for (let n = 0; n < 5; n++) left.push((await limiter.takeRequest(who))!.remaining)
  expect(left).toEqual([299, 298, 297, 296, 295])
})

it('what a limiter held when a window ended does not count in the next one', {
  tags: 'S002-25',
}, async () => {
  const { clock, counts, newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ requests_per_minute: 1000 })
  clock.ms = MINUTE - 1
  await limiter.takeRequest(who)
  clock.ms = MINUTE
  let passed = 0
  for (let n = 0; n < 1500; n++) passed += (await limiter.takeRequest(who))!.granted
  expect(passed).toBe(1000)
  expect([...counts.values()]).toEqual([11, 1000])
})

it('a limiter grants what fits of a batch, and takes back what was not used', async () => {
  const { newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ notifications_per_day: 50 })
  expect(await limiter.takeNotifications(who, 30)).toMatchObject({ granted: 30, remaining: 20 })
  expect(await limiter.takeNotifications(who, 30)).toMatchObject({ granted: 20, remaining: 0 })
  limiter.returnNotifications(who, 5)
  expect(await limiter.takeNotifications(who, 8)).toMatchObject({ granted: 5, remaining: 0 })
  expect(await limiter.takeNotifications(who, 1)).toMatchObject({ granted: 0 })
})

it('keys of one user share a count; keys without a user have their own', { tags: 'S002-25' }, async () => {
  const { newProcess } = createFakeStore()
  const limiter = newProcess()
  const take = async (fields: Partial<LimitedCaller>) =>
    (await limiter.takeRequest(caller({ requests_per_minute: 1, ...fields })))!.granted
  expect(await take({ api_key_id: 'k1' })).toBe(1)
  expect(await take({ api_key_id: 'k2' })).toBe(0)
  expect(await take({ api_key_id: 'k1', user_id: null })).toBe(1)
  expect(await take({ api_key_id: 'k2', user_id: null })).toBe(1)
})

it('a limiter tells the store what it knows, so that counting continues there', async () => {
  const { asked, clock, newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ requests_per_minute: 9 })
  for (let n = 0; n < 3; n++) await limiter.takeRequest(who)
  expect(asked.map(([ask]) => ask!.known)).toEqual([
    { used: 0, ms: 0 },
    { used: 1, ms: MINUTE - 1 },
    { used: 2, ms: MINUTE - 1 },
  ])
  clock.ms = MINUTE
  await limiter.takeRequest(who)
  expect(asked.at(-1)![0]!.known.ms).toBe(0)
})

it('a limiter fails when no store answers, and recovers afterwards', async () => {
  const { store, newProcess } = createFakeStore()
  const limiter = newProcess()
  const who = caller({ requests_per_minute: 5 })
  store.isAway = true
  await expect(limiter.takeRequest(who)).rejects.toThrow('away')
  store.isAway = false
  expect(await limiter.takeRequest(who)).toMatchObject({ granted: 1, remaining: 4 })
})
