/** The disk under the data folder, with the embedded database on it, is full for a while. */
import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { untilPassed } from '../../kill-rounds/victim.ts'
import type { FaultKind } from '../kind.ts'
import { untilAcknowledged, untilUnanswered } from '../progress.ts'
import type { Stage } from '../stage.ts'

const MEGABYTES = 320

export const fullDisk: FaultKind = {
  name: 'full-disk',
  what: 'the disk under the data folder is full',
  obstacle: () =>
    process.platform === 'linux' && process.getuid?.() === 0
      ? undefined
      : 'only root may mount the small disk it needs',
  settings: () => ({ DATABASE_URL: '' }),
  async start(stage) {
    const { folder } = stage
    mkdirSync(folder.path)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'tmpfs', folder.path])
    chmodSync(folder.path, 0o755)
    stage.atEnd(async () => {
      await folder.stopDatabase()
      execFileSync('umount', [folder.path])
    })
    stage.resultsUrl = folder.databaseUrl
    await stage.run()
  },
  async inject(stage) {
    const rounds = stage.isLong ? 5 : 1
    for (let round = 0; round < rounds; round++) {
      await untilAcknowledged(stage, 60)
      const ballast = fill(stage)
      await untilUnanswered(stage, 100)
      if (stage.isLong) await untilPassed(10_000)
      rmSync(ballast)
      await untilAcknowledged(stage, 60)
    }
    return rounds
  },
  check: stage => (stage.processes.every(({ ended }) => ended === undefined) ? [] : ['the process ended']),
}

function fill({ folder }: Stage): string {
  const path = join(folder.path, 'ballast')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4096)
  try {
    while (statfsSync(folder.path).bavail > 0) writeSync(file, block)
  } catch {
    // Full, a moment earlier than the count said.
  }
  closeSync(file)
  return path
}
