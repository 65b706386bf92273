import { describe, expect, it } from 'vitest'
import { type Crowd, createLanes, type Lanes, type LanesOptions } from './lanes.ts'

const T = (ms: number) => new Date(ms)

/** Lanes are called owner/name. */
function lanesAt(start = 0, more: Partial<LanesOptions> = {}) {
  const clock = { ms: start }
  const lanes = createLanes({
    ownerOf: lane => lane.split('/')[0]!,
    concurrency: () => 1,
    slots: () => 40,
    now: () => clock.ms,
    ...more,
  })
  return { clock, lanes }
}
const take = (lanes: Lanes, names: string[], dueAt = T(1), isCut = false, crowd: Crowd = 'others') =>
  lanes.take(
    lanes.demand(crowd),
    names.map(lane => ({ lane, dueAt })),
    isCut,
  )
const freeOf = (lanes: Lanes, lane: string) =>
  lanes.demand(lanes.crowdOf(lane)).lanes.find(entry => entry.lane === lane)?.free

describe('lanes', () => {
  it('count what is claimed', () => {
    const { lanes } = lanesAt()
    take(lanes, ['t/a', 't/a', 't/a', 't/a', 't/b'])
    expect(lanes.demand('others').lanes.map(({ lane, free }) => [lane, free])).toEqual([
      ['t/a', 0],
      ['t/b', 3],
    ])
    lanes.giveBack('t/a', false)
    expect(freeOf(lanes, 't/a')).toBe(1)
  })

  it('handle an item when it is its turn: of those claimed, only as many at once as the lane allows', async () => {
    const { lanes } = lanesAt()
    const ends: (() => void)[] = []
    take(lanes, ['t/a', 't/a', 't/a'])
    for (let i = 0; i < 3; i++) void lanes.work('t/a', () => new Promise<void>(resolve => ends.push(resolve)))
    expect(ends).toHaveLength(1)
    ends[0]!()
    await expect.poll(() => ends.length).toBe(2)
  })

  it('let the lane that waited longest go first', () => {
    const { lanes } = lanesAt()
    take(lanes, ['t/a', 't/b', 't/c', 't/a'])
    expect(lanes.demand('others').lanes.map(({ lane }) => lane)).toEqual(['t/b', 't/c', 't/a'])
  })

  it('leave a newcomer its share when one owner uses every slot, and nothing more to that owner', () => {
    const { lanes } = lanesAt(0, { concurrency: () => 100 })
    take(lanes, Array(40).fill('hog/a'))
    expect(freeOf(lanes, 'hog/a')).toBe(0)
    expect(lanes.demand('others').freeForNewcomer('')).toBe(20)
    expect(lanes.isContended()).toBe(false)
    take(lanes, ['b/a'])
    expect(lanes.isContended()).toBe(true)
    expect(freeOf(lanes, 'b/a')).toBe(19)
    for (let i = 0; i < 15; i++) lanes.giveBack('hog/a', false)
    expect(freeOf(lanes, 'hog/a')).toBeLessThanOrEqual(14)
  })

  it('are contended for a second after somebody else had an item: its next one must not wait for a crowd', () => {
    const { lanes, clock } = lanesAt(0, { concurrency: () => 100 })
    take(lanes, ['quiet/a'])
    lanes.giveBack('quiet/a', false)
    expect(lanes.isContended()).toBe(false)
    take(lanes, Array(40).fill('hog/a'))
    expect(lanes.isContended()).toBe(true)
    clock.ms += 1000
    expect(lanes.isContended()).toBe(false)
  })

  it('are claimed apart once they are crowded, and together with the others when they no longer are', () => {
    const { lanes } = lanesAt(0, { concurrency: () => 100 })
    take(lanes, ['quiet/a'])
    take(lanes, Array(39).fill('hog/a'))
    for (let i = 0; i < 10; i++) lanes.giveBack('hog/a', false)
    const freeIn = (crowd: Crowd) => lanes.demand(crowd).lanes.filter(({ free }) => free > 0)
    expect(freeIn('others').map(({ lane }) => lane)).toEqual(['quiet/a'])
    expect(freeIn('crowded')).toMatchObject([{ lane: 'hog/a', free: 10 }])
    expect(lanes.demand('crowded').findsNew).toBe(false)
    take(lanes, ['hog/a'], T(1), false, 'crowded')
    expect(freeIn('crowded')).toEqual([])
    expect(freeIn('others').map(({ lane }) => lane)).toEqual(['quiet/a', 'hog/a'])
  })

  it('are crowded when they fill a claim to its limit, however many slots they have left', () => {
    const { lanes } = lanesAt(0, { concurrency: () => 100 })
    expect(take(lanes, [...Array(9).fill('hog/a'), 'quiet/a'], T(1), true)).toBe(true)
    expect([lanes.crowdOf('hog/a'), lanes.crowdOf('quiet/a')]).toEqual(['crowded', 'others'])
    expect(take(lanes, ['hog/a'], T(1), false, 'crowded')).toBe(false)
    expect(lanes.crowdOf('hog/a')).toBe('others')
    take(lanes, ['few/a', 'quiet/a'], T(1), true)
    expect(lanes.crowdOf('few/a')).toBe('others')
  })

  it('are left as they are by a claim that ends after another one has found them', () => {
    const { lanes } = lanesAt(0, { concurrency: () => 100 })
    const demand = lanes.demand('crowded')
    take(lanes, Array(40).fill('hog/a'))
    expect(lanes.take(demand, [], false)).toBe(false)
    expect(lanes.crowdOf('hog/a')).toBe('crowded')
  })

  it('share nothing between groups', () => {
    const { lanes } = lanesAt(0, { groupOf: lane => lane.split('/')[1]!, concurrency: () => 100 })
    take(lanes, Array(40).fill('hog/mail'))
    expect(lanes.demand('others').freeForNewcomer('mail')).toBe(20)
    expect(lanes.demand('others').freeForNewcomer('push')).toBe(40)
  })

  it('say whether a lane that got all it asked for may have more', () => {
    const { lanes } = lanesAt(0, { concurrency: () => 2 })
    expect(take(lanes, ['t/a'])).toBe(false)
    expect(take(lanes, Array(7).fill('t/a'))).toBe(true)
    expect(take(lanes, [])).toBe(false)
  })

  it('halve the slots of an overloaded lane each time, down to one, and give one back with every success', () => {
    const { lanes } = lanesAt()
    const use = (isOverloaded: boolean) => {
      take(lanes, ['t/a'])
      lanes.giveBack('t/a', isOverloaded)
      return freeOf(lanes, 't/a')
    }
    expect([use(true), use(true), use(true)]).toEqual([2, 1, 1])
    expect([use(false), use(false), use(false), use(false)]).toEqual([2, 3, 4, 4])
  })

  it('move the watermark with what is taken, and scan from the beginning about every second', () => {
    const { lanes, clock } = lanesAt(10_000)
    lanes.demand('others')
    take(lanes, ['t/a'], T(500))
    take(lanes, ['t/a'], T(400))
    expect(lanes.demand('others').lanes[0]!.watermark).toEqual(T(500))
    clock.ms += 1000
    expect(lanes.demand('others').lanes[0]!.watermark).toBeNull()
  })

  it('forget a lane that nobody has used for long, but not one in use', () => {
    const { lanes, clock } = lanesAt(1, { forgetAfterMs: 60_000 })
    take(lanes, ['t/a'])
    clock.ms += 61_000
    expect(lanes.demand('others').lanes.map(({ lane }) => lane)).toEqual(['t/a'])
    lanes.giveBack('t/a', false)
    clock.ms += 2000
    expect(lanes.demand('others').lanes).toEqual([])
  })
})
