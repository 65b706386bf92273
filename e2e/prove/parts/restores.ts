/** Histories with backups, each restored to several points. */
import { runRestoreRound } from '../../restore-rounds.ts'
import { attempt, type Part, seedsOf } from '../part.ts'

const RESTORES = 4

export const restores: Part = {
  name: 'restores',
  proves:
    'an instance under load that is stopped or killed can be restored to any point of its backups: exactly what was ' +
    'accepted by then is there, nothing is sent before somebody decides, and all of it after a release',
  minutes: 8,
  rounds: 5,
  longestRoundMinutes: 30,
  async *run(task) {
    for (const seed of seedsOf(task))
      yield attempt(
        { what: 'restored to points in time and to the end', again: `restores --seed ${seed}` },
        log => runRestoreRound({ seed, restores: RESTORES, parentDir: task.scratch, log }),
      )
  },
}
