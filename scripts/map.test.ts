import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ROOF, WINGS } from './wings.mjs'

const source = fileURLToPath(new URL('../server/src/', import.meta.url))
const document = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')

it('the map in ARCHITECTURE.md is the listing of server/src, top wing first', () => {
  expect(mapped()).toEqual([...WINGS].reverse().map(wing => [wing, foldersOf(wing)]))
})

it('every folder of server/src is a wing or stands above all of them', () => {
  expect(foldersOf('')).toEqual([...WINGS, ...ROOF].sort())
})

function foldersOf(folder: string): string[] {
  return readdirSync(source + folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && readdirSync(join(source, folder, entry.name)).length > 0)
    .map(entry => entry.name)
    .sort()
}

/** A wing's line begins with its name and a slash; its rooms stand indented on the next one. */
function mapped(): [string, string[]][] {
  const lines = document.matchAll(/^([a-z]+)\/ {2,}\S.*\n {8,}(\S.*)$/gm)
  return [...lines].map(([, wing, rooms]) => [wing!, rooms!.trim().split(/\s+/)])
}
