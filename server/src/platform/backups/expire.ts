/** Deletes what no restore within the time that is kept needs any more. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { basesFolder, listBackups, type Manifest, UNFINISHED, walFolder } from './manifest.ts'

export interface Expired {
  backups: string[]
  segments: number
}

const DAY_MS = 24 * 3600 * 1000

/** How long backups are kept, and how many of them there are by then if all goes well. */
export interface Keeping {
  keepDays: number
  atLeast: number
}

export async function expireBackups(
  folder: string,
  { keepDays, atLeast }: Keeping,
  now: Date,
): Promise<Expired> {
  const all = await listBackups(folder)
  const old = notNeeded(all, new Date(now.getTime() - keepDays * DAY_MS), atLeast)
  for (const { id } of old) await rm(join(basesFolder(folder), id), { recursive: true, force: true })
  await removeInterrupted(folder, now)
  // Not that of the oldest: a restore went back in the log, so a later backup may begin before an earlier one.
  const [first] = all
    .filter(backup => !old.includes(backup))
    .map(({ start_wal }) => start_wal.slice(8))
    .sort()
  const segments = first === undefined ? 0 : await removeSegmentsBefore(walFolder(folder), first)
  return { backups: old.map(({ id }) => id), segments }
}

/**
 * The newest of those that are too old is still where a restore to the first moments of the kept time begins. And time alone
 * deletes nothing: to a clock that is wrong for a moment, everything may be too old.
 */
function notNeeded(backups: Manifest[], keptSince: Date, atLeast: number): Manifest[] {
  const surplus = backups.slice(0, Math.max(0, backups.length - atLeast))
  const old = backups.filter(({ stopped_at }) => new Date(stopped_at) <= keptSince).slice(0, -1)
  return old.filter(backup => surplus.includes(backup))
}

/** A process that was killed while it made a backup leaves that behind. */
async function removeInterrupted(folder: string, now: Date): Promise<void> {
  const names = await readdir(basesFolder(folder)).catch(() => [])
  for (const name of names) {
    const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)T/.exec(name) ?? []
    const isOld = now.getTime() - Date.parse(`${year}-${month}-${day}`) > 2 * DAY_MS
    if (name.endsWith(UNFINISHED) && isOld)
      await rm(join(basesFolder(folder), name), { recursive: true, force: true })
  }
}

/** Positions, without their timeline, are compared whatever it is, as PostgreSQL's own pg_archivecleanup does. */
async function removeSegmentsBefore(folder: string, first: string): Promise<number> {
  const names = (await readdir(folder).catch(() => [])).filter(
    name => /^\.?[0-9A-F]{24}\b/.test(name) && name.replace(/^\./, '').slice(8, 24) < first,
  )
  for (const name of names) await rm(join(folder, name), { force: true })
  return names.length
}
