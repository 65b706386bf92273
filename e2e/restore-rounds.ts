/**
 * The whole product under load with backups of its own, and its machine lost: stopped in order, or killed. What is restored
 * to several points of its history has exactly what was there at each, sends nothing until it is told to, and then finishes.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { waitFor } from '../server/test/wait-for.ts'
import type { Settings } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'
import { countOne } from './kill-rounds/database.ts'
import { type Random, seededRandom } from './kill-rounds/plan.ts'
import { untilPassed } from './kill-rounds/victim.ts'
import { addCounts } from './restore-rounds/counts.ts'
import { type Decision, examineRestored } from './restore-rounds/examine.ts'
import { type History, startHistory } from './restore-rounds/history.ts'
import { runCommand } from './restore-rounds/run-command.ts'
import type { Found } from './restore-rounds/what-is-there.ts'

export interface RestoreRoundOptions {
  seed: number
  /** How many restores of one history. */
  restores: number
  parentDir?: string
  log: (line: string) => void
}

/** Besides the one that is made at the first start. */
const BACKUPS = 2
/** The log has to go on after a point for PostgreSQL to know that it was reached. */
const MARGIN_MS = 500
const PASSPHRASE = 'kept somewhere else'

/** A moment in milliseconds, or the end of the archive. */
type Point = number | 'latest'

export async function runRestoreRound(options: RestoreRoundOptions): Promise<Found> {
  const random = seededRandom(options.seed)
  const lost = makeDataFolder(options.parentDir)
  const backups = join(lost.path, '..', 'backups')
  const backing = { CARILLON_BACKUP_DIR: backups, CARILLON_BACKUP_PASSPHRASE: PASSPHRASE }
  const history = await startHistory({
    random,
    folder: lost,
    settings: { ...backing, CARILLON_DATA_DIR: lost.path, PORT: String(await freePort()) },
    databaseUrl: lost.databaseUrl,
  })
  try {
    const span = await live(history, lost, backups, random, options.log)
    const found: Found = { counts: { backups: BACKUPS + 1 }, violations: [] }
    for (let n = 0; n < options.restores; n++) {
      const isLast = n === options.restores - 1
      const point: Point = isLast ? 'latest' : Math.floor(span.from + random() * (span.to - span.from))
      const decision: Decision = n % 2 === 0 ? 'release' : 'discard'
      const one = await restoreTo(point, decision, { history, backing, ...options })
      addCounts(found.counts, one.counts)
      found.violations.push(...one.violations.map(violation => `restored to ${nameOf(point)}: ${violation}`))
    }
    return found
  } finally {
    await history.close()
    await lost.remove()
  }
}

/** Lives under load while backups are made, and ends. Returns between which moments it can be restored. */
async function live(
  history: History,
  lost: DataFolder,
  backups: string,
  random: Random,
  log: (line: string) => void,
): Promise<{ from: number; to: number }> {
  await waitFor(async () => madeIn(backups) > 0, { what: 'the first backup', deadlineMs: 90_000 })
  const from = Date.now()
  history.start()
  for (let n = 0; n < BACKUPS; n++) {
    await untilPassed(1_000 + random() * 2_000)
    await runCommand(['backup'], history.settings)
  }
  await untilPassed(1_000 + random() * 1_000)
  if (random() < 0.5) {
    await history.stop()
    log(`stopped in order after ${Date.now() - from} ms`)
    return { from, to: Date.now() - MARGIN_MS }
  }
  const to = Date.now()
  await untilPassed(MARGIN_MS)
  await archiveEverything(lost.databaseUrl(), backups)
  await history.kill(lost.postmaster()!)
  log(`killed after ${Date.now() - from} ms, of which ${to - from} are in the archive`)
  return { from, to }
}

async function restoreTo(
  point: Point,
  decision: Decision,
  {
    history,
    backing,
    parentDir,
    log,
  }: { history: History; backing: Settings } & Pick<RestoreRoundOptions, 'parentDir' | 'log'>,
): Promise<Found> {
  const restored = makeDataFolder(parentDir)
  try {
    const to = point === 'latest' ? point : new Date(point).toISOString()
    const { restored_to } = await runCommand<{ restored_to: string }>(
      ['restore', '--to', to, '--data-dir', restored.path],
      { ...history.settings, ...backing },
    )
    log(`restored to ${to}, where the last commit is from ${restored_to}`)
    // Without backups of its own, which would begin a new timeline in the folder that the next restore reads.
    const { CARILLON_BACKUP_DIR: _, CARILLON_BACKUP_PASSPHRASE: __, ...settings } = history.settings
    return await examineRestored({
      history,
      settings: { ...settings, CARILLON_DATA_DIR: restored.path, PORT: String(await freePort()) },
      databaseUrl: restored.databaseUrl,
      at: point === 'latest' ? new Date(restored_to).getTime() : point,
      decision,
    })
  } finally {
    await restored.remove()
  }
}

function madeIn(backups: string): number {
  const bases = join(backups, 'base')
  return existsSync(bases) ? readdirSync(bases).filter(name => !name.endsWith('.unfinished')).length : 0
}

async function archiveEverything(superuserUrl: string, backups: string): Promise<void> {
  const { name } = await countOne<{ name: string }>(
    superuserUrl,
    'select pg_walfile_name(pg_switch_wal()) as name',
  )
  await waitFor(async () => existsSync(join(backups, 'wal', `${name}.gz`)), { what: 'the archive' })
}

function nameOf(point: Point): string {
  return point === 'latest' ? 'the end' : new Date(point).toISOString()
}
