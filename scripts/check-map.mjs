/** Holds that the map in ARCHITECTURE.md, the wings that imports follow and the folders of server/src are the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { ROOF, WINGS } from './wings.mjs'

/** Gives every difference as a sentence. */
export function checkMap(root) {
  const folders = foldersOf(join(root, 'server/src'))
  const expected = [...WINGS, ...ROOF].sort()
  const mapped = readMap(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))
  return [
    difference('server/src has other folders than scripts/wings.mjs', folders, expected),
    difference(
      'the map in ARCHITECTURE.md names other wings, or in another order, than scripts/wings.mjs',
      mapped.map(({ wing }) => wing),
      [...WINGS].reverse(),
    ),
    ...mapped
      .filter(({ wing }) => folders.includes(wing))
      .map(({ wing, rooms }) =>
        difference(
          `the map in ARCHITECTURE.md has other rooms in ${wing}/ than the listing`,
          rooms,
          foldersOf(join(root, 'server/src', wing)),
        ),
      ),
  ].filter(Boolean)
}

function difference(sentence, found, expected) {
  return String(found) !== String(expected) && `${sentence}: ${found.join(' ')} ≠ ${expected.join(' ')}`
}

/** An empty folder may be left over from another version. */
function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && readdirSync(join(folder, entry.name)).length > 0)
    .map(entry => entry.name)
    .sort()
}

/** A wing's line begins with its name and a slash; its rooms stand indented on the next line. */
function readMap(document) {
  const lines = document.matchAll(/^([a-z]+)\/ {2,}\S.*\n {8,}(\S.*)$/gm)
  return [...lines].map(([, wing, rooms]) => ({ wing, rooms: rooms.trim().split(/\s+/) }))
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const differences = checkMap(fileURLToPath(new URL('..', import.meta.url)))
  for (const sentence of differences) console.log(sentence)
  process.exitCode = differences.length > 0 ? 1 : 0
}
