import { describe, expect, it } from 'vitest'
import { createLanes } from './lanes.ts'

const T = (ms: number) => new Date(ms)

function lanesAt(start = 0) {
  const clock = { ms: start }
  const lanes = createLanes({ concurrency: () => 1, total: 6, now: () => clock.ms })
  return { clock, lanes }
}
const freeOf = (lanes: ReturnType<typeof createLanes>, lane: string) =>
  lanes.demand().find(entry => entry.lane === lane)?.free

describe('lanes', () => {
  it('count what is claimed, per lane and altogether', () => {
    const { lanes } = lanesAt()
    for (let i = 0; i < 4; i++) lanes.take('a', T(1))
    lanes.take('b', T(1))
    expect(lanes.demand().map(({ lane, free }) => [lane, free])).toEqual([
      ['a', 0],
      ['b', 3],
    ])
    expect(lanes.free()).toBe(1)
    lanes.giveBack('a', false)
    expect(freeOf(lanes, 'a')).toBe(1)
    expect(lanes.free()).toBe(2)
  })

  it('handle an item when it is its turn: of those claimed, only as many at once as the lane allows', async () => {
    const { lanes } = lanesAt()
    const ends: (() => void)[] = []
    for (let i = 0; i < 3; i++) {
      lanes.take('a', T(1))
      void lanes.work('a', () => new Promise<void>(resolve => ends.push(resolve)))
    }
    expect(ends).toHaveLength(1)
    ends[0]!()
    await expect.poll(() => ends.length).toBe(2)
  })

  it('let the lane that waited longest go first', () => {
    const { lanes } = lanesAt()
    for (const lane of ['a', 'b', 'c', 'a']) lanes.take(lane, T(1))
    expect(lanes.demand().map(({ lane }) => lane)).toEqual(['b', 'c', 'a'])
  })

  it('halve the slots of an overloaded lane each time, down to one, and give one back with every success', () => {
    const { lanes } = lanesAt()
    const use = (isOverloaded: boolean) => {
      lanes.take('a', T(1))
      lanes.giveBack('a', isOverloaded)
      return freeOf(lanes, 'a')
    }
    expect([use(true), use(true), use(true)]).toEqual([2, 1, 1])
    expect([use(false), use(false), use(false), use(false)]).toEqual([2, 3, 4, 4])
  })

  it('move the watermark with what is taken, and scan from the beginning about every second', () => {
    const { lanes, clock } = lanesAt(10_000)
    lanes.demand()
    lanes.take('a', T(500))
    lanes.take('a', T(400))
    expect(lanes.demand()[0]!.watermark).toEqual(T(500))
    clock.ms += 1000
    expect(lanes.demand()[0]!.watermark).toBeNull()
  })

  it('forget a lane that nobody has used for minutes, but never a fixed one', () => {
    const clock = { ms: 1 }
    const lanes = createLanes({ fixed: ['always'], concurrency: () => 1, now: () => clock.ms })
    lanes.take('a', T(1))
    clock.ms += 400_000
    expect(lanes.demand().map(({ lane }) => lane)).toEqual(['always', 'a'])
    lanes.giveBack('a', false)
    clock.ms += 2000
    expect(lanes.demand().map(({ lane }) => lane)).toEqual(['always'])
  })
})
