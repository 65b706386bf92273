/** Every kind of fault around a product under load. */
import { runCarillon } from '../../carillon-process.ts'
import { makeDataFolder } from '../../data-folder.ts'
import type { FaultKind } from '../../fault-rounds/kind.ts'
import { KINDS } from '../../fault-rounds/kinds.ts'
import { runFaultRound } from '../../fault-rounds.ts'
import { attempt, type Outcome, type Part, seedsOf, type Task } from '../part.ts'

export const faults: Part = {
  name: 'faults',
  proves:
    `${KINDS.length} kinds of faults (connections cut, a database that refuses or is locked, a full disk, wrong clocks, ` +
    'receivers that take a message and do not say so): nothing is lost, stuck, or sent twice under different ids',
  minutes: 20,
  rounds: 1,
  longestRoundMinutes: 15,
  pieces: () => KINDS.map(({ name }) => name),
  async *run(task) {
    // One PostgreSQL for all kinds: that of a Carillon, which does nothing else.
    const folder = makeDataFolder(task.scratch)
    const keeper = runCarillon(['start', '--roles', 'maintenance'], {
      CARILLON_DATA_DIR: folder.path,
      CARILLON_CLEANUP_SECONDS: '604800',
      CARILLON_METRICS_SECONDS: '86400',
    })
    try {
      await keeper.announced()
      for (const kind of KINDS.filter(({ name }) => task.only === undefined || task.only === name))
        for (const seed of seedsOf(task))
          yield attempt({ what: kind.what, again: `faults --only ${kind.name} --seed ${seed}` }, log =>
            runOne(kind, seed, folder.databaseUrl(), task, log),
          )
    } finally {
      await keeper.end('SIGTERM')
      await folder.remove()
    }
  },
}

async function runOne(
  kind: FaultKind,
  seed: number,
  adminUrl: string,
  { scratch }: Task,
  log: (line: string) => void,
): Promise<Outcome> {
  const obstacle = kind.obstacle?.()
  if (obstacle !== undefined) return { counts: {}, violations: [], obstacle }
  const { injected, intents, repeats, ...found } = await runFaultRound(kind, {
    adminUrl,
    seed,
    isLong: true,
    parentDir: scratch,
    log,
  })
  const violations = (['lost', 'stuck', 'duplicated', 'wrong'] as const).flatMap(sort =>
    found[sort].map(problem => `${sort}: ${problem}`),
  )
  return { counts: { faults: injected, intents, 'repeats under the same id': repeats }, violations }
}
