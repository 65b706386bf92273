/** A network to the database that is slow, or that swallows everything without telling anybody. */
import { untilPassed } from '../../kill-rounds/victim.ts'
import type { FaultKind } from '../kind.ts'
import { untilItWorks, untilUnanswered } from '../progress.ts'

export const delayed: FaultKind = {
  name: 'delay',
  what: 'for a minute every answer of the database takes 5 s longer',
  // A lease has to outlive the answer that grants it.
  settings: () => ({ CARILLON_LEASE_SECONDS: '30' }),
  producerTimeoutMs: 60_000,
  async inject(stage) {
    stage.proxy.delayBy(stage.isLong ? 2_500 : 100)
    // A new connection takes several answers, which is longer than anybody waits: little can be asked of a minute of it.
    if (stage.isLong) await untilPassed(60_000)
    else await untilItWorks(stage)
    stage.proxy.delayBy(0)
    await untilItWorks(stage)
    return 1
  },
}

export const halfOpen: FaultKind = {
  name: 'half-open',
  what: 'for 60 s nothing passes between Carillon and its database, and no connection is ever closed',
  settings: () => ({ CARILLON_DATABASE_TIMEOUT_SECONDS: '2' }),
  async inject(stage) {
    const rounds = stage.isLong ? 2 : 1
    for (let round = 0; round < rounds; round++) {
      await untilItWorks(stage)
      stage.proxy.silence()
      if (stage.isLong) await untilPassed(60_000)
      else await untilUnanswered(stage, 20)
      stage.proxy.speak()
      await untilItWorks(stage)
    }
    return rounds
  },
}
