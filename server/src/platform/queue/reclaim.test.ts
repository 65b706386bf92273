import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createLanes } from './lanes.ts'
import { createWake } from './wake.ts'
import { createQueueWorker, type QueueTable } from './worker.ts'

interface Claimed {
  next_attempt_at: Date
  claim_count: number
}

it('handles an item again that was due at once and is claimed before the answer to its completion arrives', async () => {
  let claimCount = 0
  let isDue = true
  let onClaimed = () => {}

  /** One row, which has to be handled three times. Its completion is stored long before the worker learns of it. */
  const table: QueueTable<Claimed, Claimed> = {
    async claim() {
      if (!isDue) return []
      isDue = false
      claimCount++
      void nextTurn().then(onClaimed)
      return [{ next_attempt_at: new Date(0), claim_count: claimCount }]
    },
    async complete(completions) {
      const isOurs = completions.map(({ claim_count }) => claim_count === claimCount)
      if (claimCount < 3 && isOurs.includes(true)) {
        const claimedAgain = new Promise<void>(resolve => (onClaimed = resolve))
        isDue = true
        await claimedAgain
      }
      return isOurs
    },
    extend: async () => {},
    release: async () => {},
  }

  const handled: number[] = []
  const lanes = createLanes({ ownerOf: () => '', concurrency: () => 1, slots: () => 8 })
  const worker = createQueueWorker<Claimed, Claimed>({
    name: 'test',
    table,
    lanes,
    laneOf: () => 'lane',
    handle: async item => {
      handled.push(item.claim_count)
      return { ...item }
    },
    withoutDetails: completion => completion,
    reclaim: {
      keyOf: () => 'row',
      note(held, again) {
        held.claim_count = again.claim_count
      },
      renewed: (completion, { claim_count }) =>
        completion.claim_count === claim_count ? undefined : { ...completion, claim_count },
    },
    wake: createWake(),
    leaseSeconds: 60,
    pollMs: 1,
    shutdownMs: 1000,
    onHandled: () => {},
    onError: error => expect.unreachable(String(error)),
  })
  onTestFinished(() => worker.stop())
  await worker.start()
  await expect.poll(() => handled, { timeout: 5000 }).toEqual([1, 2, 3])
  await worker.stop()
  // Every slot was given back.
  expect(lanes.demand('others').lanes).toMatchObject([{ lane: 'lane', free: 4 }])
})
