/**
 * A PostgreSQL of one's own that pgBackRest backs up, as docs/operations/backup.md says: what of a history under load is
 * there after restores, and which backups are kept.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'
import { type Random, seededRandom } from './kill-rounds/plan.ts'
import { untilPassed } from './kill-rounds/victim.ts'
import { addCounts } from './restore-rounds/counts.ts'
import { type Decision, examineRestored } from './restore-rounds/examine.ts'
import { type History, startHistory } from './restore-rounds/history.ts'
import {
  createDatabase,
  loseData,
  makeFolderOf,
  type OwnPostgres,
  restoredServer,
} from './restore-rounds/own-postgres.ts'
import {
  type BackedUp,
  type daysAgo,
  type Info,
  lastCommitOf,
  makeBackedUp,
} from './restore-rounds/pgbackrest.ts'
import { runCommand } from './restore-rounds/run-command.ts'
import type { Found } from './restore-rounds/what-is-there.ts'

export interface PgBackRestRoundOptions {
  seed: number
  /** An empty folder for everything. */
  folder: string
  log: (line: string) => void
}

/** Backups are found by whole seconds, and the log has to go on after a point. */
const MARGIN_MS = 1_500
const DAY_MS = 86_400_000

type Ending = 'stopped in order' | 'killed with its disk lost'

/** Moments of a history, by the clock of PostgreSQL. */
interface Lived {
  /** Between the full backup and the incremental one, and after the latter. */
  early: number
  late: number
  /** What was answered by then has reached the repository. */
  archived: number
}

export async function runPgBackRestRound({ seed, folder, log }: PgBackRestRoundOptions): Promise<Found> {
  const random = seededRandom(seed)
  const backedUp = await makeBackedUp(folder)
  const { postgres, run } = backedUp
  const data = makeDataFolder(folder)
  const found: Found = { counts: {}, violations: [] }
  try {
    await createDatabase(postgres)
    await run(['stanza-create'])
    await run(['check'])
    const history = await startHistory({
      random,
      folder: data,
      settings: { DATABASE_URL: postgres.url, CARILLON_DATA_DIR: data.path, PORT: String(await freePort()) },
      databaseUrl: () => postgres.url,
    })
    try {
      const lived = await live(history, backedUp, random, endingOf(seed))
      const labels = (await backedUp.info()).backup.map(({ label }) => label)
      const story = { history, backedUp, data, folder, log }
      const steps: Restore[] = [
        { to: lived.late, from: labels[1]!, isInPlace: false, decision: 'release' },
        { to: 'the end', from: labels[1]!, isInPlace: false, decision: 'discard' },
        { to: lived.early, from: labels[0]!, isInPlace: true, decision: 'release' },
      ]
      for (const step of steps) {
        const one = await restore(step, lived.archived, story)
        addCounts(found.counts, one.counts)
        found.violations.push(...one.violations.map(line => `restored to ${nameOf(step.to)}: ${line}`))
      }
      await goOnAfterwards(backedUp)
      addCounts(found.counts, { backups: (await backedUp.info()).backup.length })
      return found
    } finally {
      await history.close()
    }
  } finally {
    await postgres.stop('SIGQUIT')
    await data.remove()
  }
}

/** Both come in two rounds. */
export function endingOf(seed: number): Ending {
  return seed % 2 === 0 ? 'stopped in order' : 'killed with its disk lost'
}

/** Lives under load while a full and an incremental backup are made, and ends. */
async function live(
  history: History,
  { postgres, run }: BackedUp,
  random: Random,
  ending: Ending,
): Promise<Lived> {
  const someTime = async () => {
    await untilPassed(MARGIN_MS)
    const from = Date.now()
    await untilPassed(1_000 + random() * 1_000)
    const point = Math.floor(from + random() * (Date.now() - from))
    await untilPassed(MARGIN_MS)
    return point
  }
  history.start()
  await untilPassed(1_000)
  await run(['--type=full', 'backup'])
  const early = await someTime()
  await run(['--type=incr', 'backup'])
  const late = await someTime()
  if (ending === 'stopped in order') {
    await history.stop()
    const archived = Date.now()
    // The last thing that it does is to archive the rest of its log.
    await postgres.stop()
    return { early, late, archived }
  }
  const archived = Date.now()
  await run(['check'])
  await history.kill()
  await postgres.stop('SIGQUIT')
  loseData(postgres)
  return { early, late, archived }
}

interface Restore {
  to: number | 'the end'
  /** The backup that it has to begin with. */
  from: string
  /** In the place of the cluster that is gone, or beside it. */
  isInPlace: boolean
  decision: Decision
}

interface Story {
  history: History
  backedUp: BackedUp
  /** Of Carillon, with the master key. */
  data: DataFolder
  folder: string
  log: (line: string) => void
}

async function restore(step: Restore, archived: number, story: Story): Promise<Found> {
  const { backedUp, folder, log, history } = story
  const into = step.isInPlace
    ? backedUp.postgres.data
    : makeFolderOf(join(folder, `restored-${step.decision}`))
  const said = await backedUp.run(wordsFor(step), {
    into,
    ...(step.to !== 'the end' && { target: step.to }),
  })
  const postgres = step.isInPlace ? backedUp.postgres : await restoredServer(into, folder)
  await postgres.start()
  const lastCommit = lastCommitOf(postgres) ?? 0
  const at = step.to === 'the end' ? Math.max(archived, lastCommit) : step.to
  log(`restored to ${nameOf(step.to)}, where the last commit is from ${nameOf(lastCommit)}`)
  const data = makeDataFolder(folder)
  try {
    mkdirSync(data.path)
    copyFileSync(join(story.data.path, 'master-key'), join(data.path, 'master-key'))
    const settings = {
      ...history.settings,
      DATABASE_URL: postgres.url,
      CARILLON_DATA_DIR: data.path,
      PORT: String(await freePort()),
    }
    await runCommand(['restore', 'hold'], settings)
    const { counts, violations } = await examineRestored({
      history,
      settings,
      databaseUrl: () => postgres.url,
      at,
      decision: step.decision,
    })
    const others = said.includes(`restore backup set ${step.from}`) ? [] : [`not from ${step.from}: ${said}`]
    return { counts, violations: [...others, ...violations] }
  } finally {
    if (!step.isInPlace) await postgres.stop()
    await data.remove()
  }
}

function wordsFor({ to, isInPlace }: Restore): string[] {
  const place = isInPlace ? ['--delta'] : ['--pg1-path', '--archive-mode=off']
  const point = to === 'the end' ? [] : ['--type=time', '--target', '--target-action=promote']
  return [...place, ...point, 'restore']
}

/** What was restored in place is backed up like before. */
async function goOnAfterwards({ run }: BackedUp): Promise<void> {
  await run(['check'])
  await run(['--type=incr', 'backup'])
  await run(['verify'])
}

/** Two months of backups, made by moving the clocks of PostgreSQL and of pgBackRest. */
const HISTORY = [
  { daysAgo: 62, type: 'full' },
  { daysAgo: 45, type: 'full' },
  { daysAgo: 44, type: 'incr' },
  { daysAgo: 31, type: 'full' },
  { daysAgo: 29, type: 'full' },
  { daysAgo: 0, type: 'full' },
] as const
/** The newest one that is older than 30 days is needed for a restore to 30 days ago. */
const KEPT = [31, 29, 0]

export type MoveClock = NonNullable<Awaited<ReturnType<typeof daysAgo>>>

export async function runExpiryRound(
  folder: string,
  moveClock: MoveClock,
  log: (line: string) => void,
): Promise<Found> {
  const violations: string[] = []
  const backedUp = await makeBackedUp(folder, moveClock(HISTORY[0].daysAgo))
  const { postgres, run, info } = backedUp
  const labels = new Map<number, string>()
  try {
    await run(['stanza-create'], { clock: moveClock(HISTORY[0].daysAgo) })
    await postgres.ask('create table days (ago integer)')
    for (const [n, { daysAgo, type }] of HISTORY.entries()) {
      const clock = moveClock(daysAgo)
      if (n > 0) await postgres.start(clock)
      const before = await labelsOf(info)
      await postgres.ask(`insert into days values (${daysAgo})`)
      await run([`--type=${type}`, 'backup'], { clock })
      const after = await labelsOf(info)
      labels.set(daysAgo, after.at(-1)!)
      const gone = before.filter(label => !after.includes(label))
      log(`${daysAgo} days ago: made ${after.at(-1)}${gone.length > 0 ? `, deleted ${gone.join(', ')}` : ''}`)
      if (daysAgo > 0 && gone.length > 0) violations.push(`${gone.join(', ')} went ${daysAgo} days ago`)
      await postgres.stop()
    }
    const { backup, archive } = await info()
    const kept = KEPT.map(days => labels.get(days))
    const there = backup.map(({ label }) => label)
    if (String(there) !== String(kept)) violations.push(`there are ${there}, and not ${kept}`)
    if (archive[0]?.min !== backup[0]?.archive.start)
      violations.push(`the log begins at ${archive[0]?.min}, and not at ${backup[0]?.archive.start}`)
    violations.push(...(await restoreTo30DaysAgo(backedUp, folder)))
    return {
      counts: { backups: HISTORY.length, expired: HISTORY.length - there.length },
      violations,
    }
  } finally {
    await postgres.stop('SIGQUIT')
  }
}

async function restoreTo30DaysAgo({ run }: BackedUp, folder: string): Promise<string[]> {
  const into = makeFolderOf(join(folder, 'restored'))
  const target = Date.now() - 30 * DAY_MS
  await run(
    ['--pg1-path', '--archive-mode=off', '--type=time', '--target', '--target-action=promote', 'restore'],
    {
      into,
      target,
    },
  )
  const restored: OwnPostgres = await restoredServer(into, folder)
  await restored.start()
  const days = await restored.ask(`select string_agg(ago::text, ' ' order by ago desc) from days`)
  await restored.stop()
  const expected = HISTORY.map(({ daysAgo }) => daysAgo)
    .filter(ago => ago > 30)
    .join(' ')
  return days === expected ? [] : [`30 days ago there were the rows ${expected}, and now there are ${days}`]
}

async function labelsOf(info: () => Promise<Info>): Promise<string[]> {
  return (await info()).backup.map(({ label }) => label)
}

function nameOf(point: Restore['to']): string {
  return point === 'the end' ? point : new Date(point).toISOString()
}
