import { afterEach, describe, expect, it } from 'vitest'
import { createLanes, type Demand } from './lanes.ts'
import type { Service } from './service.ts'
import { createWake } from './wake.ts'
import { createQueueWorker } from './worker.ts'

interface Item {
  id: number
  lane: string
  next_attempt_at: Date
}

let worker: Service | undefined
afterEach(() => worker?.stop())

describe('the worker of a queue', () => {
  it('claims what few wait for while a claim for a crowd is under way', async () => {
    const handled: string[] = []
    let endClaim = () => {}
    let crowdedClaims = 0
    let due: string[] = []

    /** The crowd always has more; its second claim takes until the test lets it end. */
    async function claim(demand: Demand): Promise<Item[]> {
      const asksCrowd = demand.lanes.some(({ lane, free }) => lane === 'hog/a' && free > 0)
      if (asksCrowd && ++crowdedClaims === 1) await new Promise<void>(resolve => (endClaim = resolve))
      const lanes = demand.findsNew ? due.splice(0) : Array<string>(4).fill('hog/a')
      return lanes.map((lane, id) => ({ id, lane, next_attempt_at: new Date(0) }))
    }

    worker = createQueueWorker<Item, { item: Item }>({
      name: 'test',
      table: {
        claim,
        complete: async completions => completions.map(() => true),
        extend: async () => {},
        release: async () => {},
      },
      lanes: createLanes({ ownerOf: lane => lane.split('/')[0]!, concurrency: () => 1, slots: () => 8 }),
      laneOf: item => item.lane,
      handle: async item => {
        handled.push(item.lane)
        return { item }
      },
      withoutDetails: completion => completion,
      wake: createWake(),
      leaseSeconds: 60,
      pollMs: 1,
      shutdownMs: 0,
      onHandled: () => {},
      onError: error => expect.unreachable(String(error)),
    })
    due = Array<string>(8).fill('hog/a')
    await worker.start()
    await expect.poll(() => crowdedClaims).toBe(1)
    due = ['quiet/a']
    await expect.poll(() => handled).toContain('quiet/a')
    expect(crowdedClaims).toBe(1)
    endClaim()
    await expect.poll(() => crowdedClaims).toBeGreaterThan(2)
  })
})
