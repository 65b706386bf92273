/** Which backup a restore begins with, and why there may be none. */
import { type Manifest, readBackups, walFolder } from './manifest.ts'
import { type Archive, firstGap, numberOf, positionOf, readArchive, timelineOf } from './wal-archive.ts'

/** A point in time, or everything that was archived. */
export type Target = Date | 'latest'

export interface Choice {
  backup: Manifest
  timeline: number
  /** How many segments of the log come after it, at most. */
  segments: number
  /** The log after this one cannot be used, since the next one is missing. */
  lastBeforeGap: string | undefined
}

export async function chooseBackup(folder: string, target: Target, timeline?: number): Promise<Choice> {
  const { backups, damages } = await readBackups(folder)
  if (backups.length === 0 && damages.length > 0) throw damages[0]
  if (backups.length === 0) throw new Error(`There is no complete backup in ${folder}.`)
  const archive = await readArchive(walFolder(folder))
  const chosen = timeline ?? newestTimeline(backups, archive)
  const usable = backups.filter(backup => isOnWayTo(backup, chosen, archive)).sort(byPosition)
  if (usable.length === 0)
    throw new Error(`None of the backups in ${folder} is on the way to timeline ${chosen}.`)
  const backup = usable.findLast(({ stopped_at }) => target === 'latest' || new Date(stopped_at) <= target)
  if (backup === undefined)
    throw new Error(
      `The first backup in ${folder} was complete at ${usable[0]!.stopped_at}; nothing before that can be restored.`,
    )
  return { backup, timeline: chosen, ...segmentsAfter(backup, chosen, archive) }
}

/** In the order in which they were made, whatever the clock said. */
export function byPosition(one: Manifest, other: Manifest): number {
  return Number(positionOf(one.stop_lsn) - positionOf(other.stop_lsn))
}

/** Every restore begins a new timeline; the newest one is that of the instance that was last at work. */
function newestTimeline(backups: Manifest[], { histories }: Archive): number {
  return Math.max(...backups.map(backup => backup.timeline), ...histories.keys())
}

/** Not where another restore went back to an earlier point than the end of this backup. */
function isOnWayTo(backup: Manifest, timeline: number, { histories }: Archive): boolean {
  if (backup.timeline === timeline) return true
  const branch = histories.get(timeline)?.find(branch => branch.timeline === backup.timeline)
  return branch !== undefined && positionOf(backup.stop_lsn) <= branch.until
}

function segmentsAfter(backup: Manifest, timeline: number, archive: Archive) {
  const { start_wal, stop_wal, wal_segment_bytes: bytes } = backup
  const after = segmentsOnWay(timeline, archive, bytes).filter(name => name.slice(8) >= start_wal.slice(8))
  const gap = firstGap(after, start_wal, bytes)
  if (gap === undefined) return { segments: after.length, lastBeforeGap: undefined }
  const upTo = after.filter(name => name.slice(8) < nameOf(gap, bytes))
  const last = upTo.at(-1)
  if (last === undefined || last.slice(8) < stop_wal.slice(8))
    throw new Error(
      `The backup ${backup.id} cannot be restored: the segment ${nameOf(gap, bytes)} of the log is not in the archive.`,
    )
  return { segments: upTo.length, lastBeforeGap: last }
}

/**
 * Which segments lead to a timeline: each timeline on the way has those from where it branched off to where the next one
 * did, which begins with a copy. What a timeline that was left wrote after that has the same numbers, and would hide that
 * others are missing. A timeline of which nothing was archived yet is passed over.
 */
function segmentsOnWay(timeline: number, { segments, histories }: Archive, segmentBytes: number): string[] {
  const parts: { timeline: number; first: number; last: number }[] = []
  let first = 0
  for (const branch of histories.get(timeline) ?? []) {
    const last = Number(branch.until / BigInt(segmentBytes))
    parts.push({ timeline: branch.timeline, first, last })
    first = last
  }
  parts.push({ timeline, first, last: Number.POSITIVE_INFINITY })
  const archived = parts.filter(part => segments.some(name => timelineOf(name) === part.timeline))
  return archived.flatMap((part, place) => {
    const next = archived[place + 1]?.first ?? Number.POSITIVE_INFINITY
    return segments.filter(name => {
      const number = numberOf(name, segmentBytes)
      return (
        timelineOf(name) === part.timeline && number >= part.first && number <= part.last && number < next
      )
    })
  })
}

/** Without its timeline. */
function nameOf(number: number, segmentBytes: number): string {
  const perFile = 0x1_0000_0000 / segmentBytes
  const part = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  return part(Math.floor(number / perFile)) + part(number % perFile)
}
