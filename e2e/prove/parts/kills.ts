/** Histories of the whole product under load, each with a kill of every way. */

import { KILLS } from '../../kill-rounds/victim.ts'
import { runKillRounds } from '../../kill-rounds.ts'
import { attempt, type Part, seedsOf } from '../part.ts'

const USERS = 6_000
const PER_SECOND = 200

export const kills: Part = {
  name: 'kills',
  proves:
    'kill -9 of the server, of its PostgreSQL, of both, and of a server that starts: under load, no acknowledged ' +
    'intent is lost, stuck, or sent twice under different ids',
  minutes: 12,
  rounds: 20,
  longestRoundMinutes: 10,
  async *run(task) {
    for (const seed of seedsOf(task))
      yield attempt({ what: 'killed each way', again: `kills --seed ${seed}` }, log =>
        runKillRounds({
          rounds: KILLS.length,
          seed,
          users: USERS,
          perSecond: PER_SECOND,
          parentDir: task.scratch,
          log,
        }),
      )
  },
}
