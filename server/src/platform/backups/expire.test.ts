/** What is chosen and what is deleted when clocks were wrong, and in archives of a busy month. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { chooseBackup } from './choose.ts'
import { expireBackups } from './expire.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import { firstGap } from './wal-archive.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(inject('scratchDir'), 'expire-'))
  mkdirSync(join(folder, 'wal'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hex = (segment: number) => segment.toString(16).toUpperCase().padStart(2, '0')

/** A backup that took one segment of the log, at a time that the clock gave. */
async function keep(id: string, segment: number, stopped_at: string): Promise<void> {
  const wal = `0000000100000000000000${hex(segment)}`
  mkdirSync(join(folder, 'base', id), { recursive: true })
  writeFileSync(join(folder, 'wal', `${wal}.gz`), '')
  await writeManifest(join(folder, 'base', id), {
    id,
    stopped_at,
    timeline: 1,
    start_wal: wal,
    stop_wal: wal,
    stop_lsn: `0/${hex(segment)}000100`,
    wal_segment_bytes: 16 * 1024 * 1024,
  } as Manifest)
}

it('a clock that jumps ahead for a moment costs no backup', async () => {
  for (let day = 1; day <= 5; day++)
    await keep(`2026010${day}T000000Z-a`, day, `2026-01-0${day}T00:00:00.000Z`)
  await keep('20990101T000000Z-b', 6, '2099-01-01T00:00:00.000Z')
  const now = new Date('2099-01-01T00:00:01Z')
  expect(await expireBackups(folder, { keepDays: 30, atLeast: 30 }, now)).toEqual({
    backups: [],
    segments: 0,
  })
  // Where as many have been made since as 30 days have, the oldest are deleted.
  const { backups } = await expireBackups(folder, { keepDays: 30, atLeast: 3 }, now)
  expect(backups).toEqual(['20260101T000000Z-a', '20260102T000000Z-a', '20260103T000000Z-a'])
})

it('a restore begins with the last backup that was made, not with the latest by a clock that was wrong', async () => {
  await keep('20260101T000000Z-a', 1, '2026-01-01T00:00:00.000Z')
  await keep('20270101T000000Z-b', 2, '2027-01-01T00:00:00.000Z')
  await keep('20260102T000000Z-c', 3, '2026-01-02T00:00:00.000Z')
  const begin = async (target: Date | 'latest') => (await chooseBackup(folder, target)).backup.id
  expect(await begin('latest')).toBe('20260102T000000Z-c')
  expect(await begin(new Date('2026-01-01T12:00:00Z'))).toBe('20260101T000000Z-a')
  expect(await begin(new Date('2026-01-02T12:00:00Z'))).toBe('20260102T000000Z-c')
})

it('finds the gap in the log of a busy month', () => {
  const bytes = 16 * 1024 * 1024
  const part = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  const name = (number: number) => `00000001${part(Math.floor(number / 256))}${part(number % 256)}`
  const segments = Array.from({ length: 300_000 }, (_, number) => name(number))
  expect(firstGap(segments, name(0), bytes)).toBeUndefined()
  segments.splice(200_000, 1)
  expect(firstGap(segments, name(0), bytes)).toBe(200_000)
})
