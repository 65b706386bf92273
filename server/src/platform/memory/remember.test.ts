import { describe, expect, it } from 'vitest'
import { createMemory, type MemoryOptions } from './remember.ts'

/** A memory whose clock and loads are in the hands of the test. */
function remembering(options: Partial<MemoryOptions> = {}) {
  let time = 0
  const loads: {
    before: string | undefined
    answer: (value: string) => void
    fail: (error: Error) => void
  }[] = []
  const memory = createMemory<string>({ forMs: 1000, now: () => time, ...options })
  return {
    ...memory,
    loads,
    get: (key: string) =>
      memory.get(
        key,
        before =>
          new Promise((resolve, reject) => {
            loads.push({ before, answer: resolve, fail: reject })
          }),
      ),
    pass: (ms: number) => {
      time += ms
    },
  }
}

describe('a memory', () => {
  it('loads once for all who ask, and again when the time is over', async () => {
    const { get, loads, pass } = remembering()
    const asked = [get('a'), get('a')]
    expect(loads).toHaveLength(1)
    loads[0]!.answer('first')
    expect(await Promise.all([...asked, get('a')])).toEqual(['first', 'first', 'first'])
    pass(999)
    expect(await get('a')).toBe('first')
    pass(1)
    const again = get('a')
    loads[1]!.answer('second')
    expect(await again).toBe('second')
  })

  it('counts the time from the question, so that a slow answer is not kept for longer', async () => {
    const { get, loads, pass } = remembering()
    const slow = get('a')
    pass(1000)
    loads[0]!.answer('old')
    expect(await slow).toBe('old')
    void get('a')
    expect(loads).toHaveLength(2)
  })

  it('does not keep a failure, nor lets an earlier one forget a later value', async () => {
    const { get, loads, forget } = remembering()
    const failing = get('a')
    forget('a')
    const fresh = get('a')
    loads[0]!.fail(new Error('away'))
    await expect(failing).rejects.toThrow('away')
    loads[1]!.answer('here')
    expect(await fresh).toBe('here')
    expect(await get('a')).toBe('here')

    forget('a')
    const second = get('a')
    loads[2]!.fail(new Error('away again'))
    await expect(second).rejects.toThrow('away again')
    void get('a')
    expect(loads).toHaveLength(4)
  })

  it('forgets on request; who is waiting still gets an answer', async () => {
    const { get, loads, forget } = remembering()
    const waiting = get('a')
    forget('a')
    void get('a')
    expect(loads).toHaveLength(2)
    loads[0]!.answer('before the change')
    expect(await waiting).toBe('before the change')
  })

  it('shows a load what came before it, until that is forgotten', async () => {
    const { get, loads, pass, forget } = remembering()
    const first = get('a')
    loads[0]!.answer('first')
    await first
    pass(1000)
    void get('a')
    pass(1000)
    void get('a')
    forget('a')
    void get('a')
    expect(loads.map(({ before }) => before)).toEqual([undefined, 'first', 'first', undefined])
  })

  it('keeps the keys that were loaded last', async () => {
    const { get, loads } = remembering({ atMost: 2 })
    for (const key of ['a', 'b', 'c']) void get(key)
    void get('c')
    void get('b')
    expect(loads).toHaveLength(3)
    void get('a')
    expect(loads).toHaveLength(4)
  })

  it('with no time asks every time', () => {
    const { get, loads } = remembering({ forMs: 0 })
    void get('a')
    void get('a')
    expect(loads).toHaveLength(2)
  })
})
