/** A later version of Carillon: the built product in a folder of its own, with different functions and migrations. */
import { cpSync, realpathSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { makeVersionFolder, type VersionChanges } from '../server/test/version-folder.ts'

const require = createRequire(import.meta.url)
const server = dirname(realpathSync(require.resolve('@carillon/server/package.json')))

/** Returns the path of the program to run. */
export function makeFurtherVersion(place: string, changes: VersionChanges): string {
  const folder = makeVersionFolder(place, changes)
  for (const part of ['bin', 'dist', 'sandboxed', 'styles', 'package.json']) {
    cpSync(join(server, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(dirname(server), 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin', 'carillon.js')
}
