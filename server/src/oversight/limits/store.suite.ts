/** The tests that every store of limits has to pass. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { waitFor } from '../../../test/wait-for.ts'
import type { Caller, Known, LimitStore, RequestAsk, TryAsk } from './store.ts'

/** Longer than any test, so that no window ends in the middle of one; the current one is not half over before 2041. */
const ENDLESS_SECONDS = 1_500_000_000
const NOTHING: Known = { used: 0, ms: 0 }

export interface StoreUnderTest {
  store: LimitStore
  /** A caller without any counts yet. */
  newCaller(): Promise<Caller>
}

export function describeStore(name: string, open: () => StoreUnderTest): void {
  const ask = (caller: Caller, fields: Partial<RequestAsk> = {}): RequestAsk => ({
    caller,
    limit_type: 'api',
    window_seconds: ENDLESS_SECONDS,
    limit: 10,
    wanted: 1,
    known: NOTHING,
    ...fields,
  })
  const count = async (...asks: RequestAsk[]) => open().store.countRequests(asks)
  const tryKey = (fields: Partial<TryAsk> = {}): TryAsk => ({
    tenant_id: '',
    key_hash: randomUUID().replaceAll('-', '').padEnd(64, '0'),
    window_seconds: 3600,
    limit: 5,
    known: NOTHING,
    ...fields,
  })

  it(`${name} grants requests that fit, counts them, and says when the window ends`, {
    tags: 'S002-25',
  }, async () => {
    const caller = await open().newCaller()
    const [first] = await count(ask(caller, { wanted: 4 }))
    expect(first).toEqual({ granted: 4, used: 4, reset_ms: expect.any(Number) })
    expect(first!.reset_ms).toBeGreaterThan(0)
    expect(first!.reset_ms).toBeLessThanOrEqual(ENDLESS_SECONDS * 1000)
    expect((await count(ask(caller, { wanted: 9 })))[0]).toMatchObject({ granted: 6, used: 10 })
    expect((await count(ask(caller)))[0]).toMatchObject({ granted: 0, used: 10 })
  })

  it(`${name} grants 100 askers at once exactly the limit`, { tags: 'S002-25' }, async () => {
    const caller = await open().newCaller()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => count(ask(caller, { limit: 57, wanted: 1 + (n % 3) }))),
    )
    expect(answers.reduce((sum, [answer]) => sum + answer!.granted, 0)).toBe(57)
  })

  it(`${name} counts users, keys and types separately, even in one question`, {
    tags: 'S002-25',
  }, async () => {
    const [ada, bob] = [await open().newCaller(), await open().newCaller()]
    const asks = [
      ask(ada, { wanted: 3 }),
      ask(bob, { wanted: 20 }),
      ask(ada, { wanted: 5, limit_type: 'notification' }),
      ask({ ...ada, user_id: null }, { wanted: 7 }),
    ]
    expect(await count(...asks)).toMatchObject([
      { granted: 3, used: 3 },
      { granted: 10, used: 10 },
      { granted: 5, used: 5 },
      { granted: 7, used: 7 },
    ])
  })

  it(`${name} grants nothing more under a lowered limit, and takes nothing back`, async () => {
    const caller = await open().newCaller()
    await count(ask(caller, { wanted: 8 }))
    expect((await count(ask(caller, { limit: 5 })))[0]).toMatchObject({ granted: 0, used: 8 })
    expect((await count(ask(caller, { limit: 9 })))[0]).toMatchObject({ granted: 1, used: 9 })
  })

  it(`${name} counts requests on from what the asker knows, but not from a window that ended`, {
    tags: 'S004-15',
  }, async () => {
    const caller = await open().newCaller()
    const [{ reset_ms: ms } = { reset_ms: 0 }] = await count(ask(caller))
    expect((await count(ask(caller, { known: { used: 7, ms } })))[0]).toMatchObject({ granted: 1, used: 8 })
    expect((await count(ask(caller, { known: { used: 3, ms } })))[0]).toMatchObject({ granted: 1, used: 9 })
    const other = await open().newCaller()
    expect((await count(ask(other, { known: { used: 7, ms: 1 } })))[0]).toMatchObject({ used: 1 })
  })

  it(`${name} allows tries up to the cap, in a window that the first try starts and no other moves`, {
    tags: 'S004-16',
  }, async () => {
    const { store } = open()
    const asked = tryKey({ tenant_id: (await open().newCaller()).tenant_id })
    const first = await store.countTry(asked)
    expect(first).toMatchObject({ granted: 1, used: 1 })
    expect(first.reset_ms).toBeLessThanOrEqual(3_600_001)
    // far more than a test may take
    expect(first.reset_ms).toBeGreaterThan(3_000_000)
    const answers = []
    for (let n = 0; n < 6; n++) answers.push(await store.countTry(asked))
    expect(answers.map(answer => answer.granted)).toEqual([1, 1, 1, 1, 0, 0])
    expect(answers.at(-1)!.used).toBe(5)
    // more than rounding to the millisecond can explain
    const left = async () => (await store.countTry(asked)).reset_ms
    await expect.poll(left).toBeLessThan(first.reset_ms - 5)
  })

  it(`${name} lets exactly as many of 50 tries at once pass as the cap allows`, {
    tags: 'S004-16',
  }, async () => {
    const asked = tryKey({ tenant_id: (await open().newCaller()).tenant_id })
    const answers = await Promise.all(Array.from({ length: 50 }, () => open().store.countTry(asked)))
    expect(answers.reduce((sum, answer) => sum + answer.granted, 0)).toBe(5)
  })

  it(`${name} counts tries anew when the window has ended`, { tags: 'S004-16' }, async () => {
    const { store } = open()
    const asked = tryKey({ tenant_id: (await open().newCaller()).tenant_id, limit: 1, window_seconds: 1 })
    const isGranted = async () => (await store.countTry(asked)).granted === 1
    // On a busy machine a window may end between two tries, so the first one that is refused may come later.
    await waitFor(async () => !(await isGranted()), { what: 'the window to be used up' })
    await waitFor(isGranted, { what: 'the window to end' })
  })

  it(`${name} counts tries on from what the asker knows`, { tags: 'S004-16' }, async () => {
    const { store } = open()
    const asked = tryKey({ tenant_id: (await open().newCaller()).tenant_id })
    const known = await store.countTry({ ...asked, known: { used: 4, ms: 60_000 } })
    expect(known).toMatchObject({ granted: 1, used: 5 })
    // stored to the millisecond
    expect(known.reset_ms).toBeLessThanOrEqual(60_001)
    expect((await store.countTry(asked)).granted).toBe(0)
  })
}
