/** Histories in which everything that takes part in reading streams is killed. */

import { canRun } from '../../../server/test/server-process.ts'
import { runStreamRounds } from '../../stream-rounds.ts'
import { attempt, type Part, seedsOf } from '../part.ts'

/** Of each stream. */
const ENTRIES = 10_000

export const streams: Part = {
  name: 'streams',
  proves:
    'kill -9 of readers, of Redis and of the leader of three NATS servers while entries flow: each entry becomes ' +
    'exactly one record or one malformed intent',
  minutes: 5,
  rounds: 3,
  longestRoundMinutes: 15,
  async *run(task) {
    const missing = ['redis-server', 'nats-server'].filter(command => !canRun(command))
    for (const _ of seedsOf(task))
      yield attempt(
        { what: 'killed two readers, Redis and the leader of NATS', again: 'streams' },
        async log => {
          if (missing.length > 0)
            return { counts: {}, violations: [], obstacle: `${missing.join(' and ')} cannot be installed` }
          return runStreamRounds({ entries: ENTRIES, isLong: true, parentDir: task.scratch, log })
        },
      )
  },
}
