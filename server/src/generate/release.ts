/**
 * Prints server/release.json: the number of this tree's functions and migrations, counted up when they changed. With
 * --restart it begins again at 1, as only a new baseline may: no database knows the numbers before.
 */
import { readFileSync } from 'node:fs'
import { OWN_FOLDER, readSources } from '../platform/database/release.ts'
import { ChangedFunctionError, functionsIn, nextRelease } from './next-release.ts'

const file = `${OWN_FOLDER}/release.json`
const before = process.argv.includes('--restart') ? undefined : JSON.parse(readFileSync(file, 'utf8'))
const functions = functionsIn(readFileSync(`${OWN_FOLDER}/schema.sql`, 'utf8'))
try {
  const release = nextRelease(before, await readSources(OWN_FOLDER), functions)
  process.stdout.write(`${JSON.stringify(release, null, 2)}\n`)
} catch (error) {
  if (!(error instanceof ChangedFunctionError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
