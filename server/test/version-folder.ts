/** A further version of Carillon, as the database sees it: this tree's migrations and functions with changes. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('..', import.meta.url))

export interface VersionChanges {
  /** Files by their path below server/, written instead of or beside this tree's; null takes one away. */
  files?: Record<string, string | null>
  /** Whether processes of this tree work with what the further version brings. */
  isCompatible?: boolean
  /** How many releases later. */
  ahead?: number
}

/** A folder with migrations/, functions/ and release.json. */
export function makeVersionFolder(place: string, changes: VersionChanges = {}): string {
  const folder = mkdtempSync(join(place, 'version-'))
  for (const part of ['migrations', 'functions']) {
    cpSync(join(SERVER, part), join(folder, part), { recursive: true })
  }
  changeVersion(folder, changes)
  return folder
}

/** Turns a copy of this tree into the further version. */
export function changeVersion(
  folder: string,
  { files = {}, isCompatible = true, ahead = 1 }: VersionChanges,
): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    if (text === null) rmSync(file, { force: true })
    else writeFileSync(file, text)
  }
  const own = ownRelease()
  const number = own.number + ahead
  const compatible_since = isCompatible ? own.compatible_since : number
  writeFileSync(join(folder, 'release.json'), JSON.stringify({ number, compatible_since }))
}

export function ownRelease(): { number: number; compatible_since: number } {
  return JSON.parse(readOwn('release.json'))
}

/** A file of this tree, by its path below server/. */
export function readOwn(name: string): string {
  return readFileSync(join(SERVER, name), 'utf8')
}
