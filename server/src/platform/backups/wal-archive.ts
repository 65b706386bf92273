/** The archive of PostgreSQL's log: which segments are there, and which timelines branched off from which. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export interface Archive {
  /** Names of whole segments. */
  segments: string[]
  /** Which timelines branched off, and from where. */
  histories: Map<number, Branch[]>
}

/** A timeline that another one continues from this position. */
export interface Branch {
  timeline: number
  until: bigint
}

const SEGMENT = /^([0-9A-F]{24})\.gz$/
const HISTORY = /^([0-9A-F]{8})\.history\.gz$/

export async function readArchive(folder: string): Promise<Archive> {
  const names = existsSync(folder) ? await readdir(folder) : []
  const histories = new Map<number, Branch[]>()
  for (const name of names) {
    const timeline = HISTORY.exec(name)?.[1]
    if (timeline === undefined) continue
    histories.set(Number.parseInt(timeline, 16), readHistory(await readWhole(join(folder, name))))
  }
  return { segments: names.flatMap(name => SEGMENT.exec(name)?.[1] ?? []).sort(), histories }
}

async function readWhole(path: string): Promise<string> {
  const stored = await readFile(path)
  try {
    return gunzipSync(stored).toString('utf8')
  } catch (error) {
    throw new Error(`${path} is damaged (${(error as Error).message}). Use another copy of the backups.`)
  }
}

function readHistory(text: string): Branch[] {
  return text.split('\n').flatMap(line => {
    const [, timeline, position] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line) ?? []
    return timeline === undefined ? [] : [{ timeline: Number(timeline), until: positionOf(position!) }]
  })
}

/** A position such as 1/2F000028 as a number. */
export function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

export function timelineOf(segment: string): number {
  return Number.parseInt(segment.slice(0, 8), 16)
}

/** The number of a segment on whichever timeline. */
export function numberOf(segment: string, segmentBytes: number): number {
  const perFile = 0x1_0000_0000 / segmentBytes
  return Number.parseInt(segment.slice(8, 16), 16) * perFile + Number.parseInt(segment.slice(16, 24), 16)
}

/** The first segment after `from` that is missing although a later one is there, as its number; undefined if none is. */
export function firstGap(segments: string[], from: string, segmentBytes: number): number | undefined {
  const there = new Set(segments.map(segment => numberOf(segment, segmentBytes)))
  const last = [...there].reduce((highest, number) => Math.max(highest, number), 0)
  for (let number = numberOf(from, segmentBytes); number <= last; number++)
    if (!there.has(number)) return number
  return undefined
}
