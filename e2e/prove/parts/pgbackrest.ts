/** A PostgreSQL of one's own with pgBackRest, as docs/operations/backup.md describes it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { endingOf, runExpiryRound, runPgBackRestRound } from '../../pgbackrest-rounds.ts'
import { daysAgo, obstacleToPgBackRest } from '../../restore-rounds/pgbackrest.ts'
import { attempt, type Outcome, type Part, seedsOf } from '../part.ts'

const RESTORES = 'restores'
const EXPIRY = 'expiry'

export const pgbackrest: Part = {
  name: 'pgbackrest',
  proves:
    'a server of its own that pgBackRest backs up as documented is restored to points in time and to the end: exactly ' +
    'what was accepted by then is there, nothing is sent before somebody decides; and 30 days of backups are kept',
  minutes: 5,
  rounds: 2,
  longestRoundMinutes: 20,
  pieces: () => [RESTORES, EXPIRY],
  async *run(task) {
    const obstacle = obstacleToPgBackRest()
    const folderOf = (name: string) => {
      const folder = join(task.scratch, name)
      mkdirSync(folder, { mode: 0o755 })
      return folder
    }
    for (const seed of task.only === EXPIRY ? [] : seedsOf(task))
      yield attempt(
        {
          what: `${endingOf(seed)}, and restored to two points and to the end`,
          again: `pgbackrest --only ${RESTORES} --seed ${seed}`,
        },
        async log =>
          obstacle === undefined
            ? runPgBackRestRound({ seed, folder: folderOf(`${RESTORES}-${seed}`), log })
            : impossible(obstacle),
      )
    if (task.only === RESTORES) return
    yield attempt(
      { what: 'two months of backups, 30 days of them kept', again: `pgbackrest --only ${EXPIRY}` },
      async log => {
        const moveClock = obstacle === undefined ? await daysAgo() : undefined
        if (moveClock === undefined) return impossible(obstacle ?? 'it has no faketime to move clocks with')
        return runExpiryRound(folderOf(EXPIRY), moveClock, log)
      },
    )
  },
}

function impossible(obstacle: string): Outcome {
  return { counts: {}, violations: [], obstacle }
}
