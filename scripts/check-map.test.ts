import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkMap } from './check-map.mjs'
import { ROOF, WINGS } from './wings.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-map-'))
  for (const wing of WINGS) write(`server/src/${wing}/room/a.ts`)
  for (const folder of ROOF) write(`server/src/${folder}/a.ts`)
  draw([...WINGS].reverse())
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('is content with a map that is the listing', () => {
  expect(checkMap(root)).toEqual([])
})

it('tells of a room that the map lacks', () => {
  write('server/src/people/users/users.ts')
  expect(checkMap(root)).toEqual([
    'the map in ARCHITECTURE.md has other rooms in people/ than the listing: room ≠ room users',
  ])
})

it('tells of a wing that nobody listed', () => {
  write('server/src/drawer/things/a.ts')
  expect(checkMap(root)).toEqual([
    expect.stringContaining('server/src has other folders than scripts/wings.mjs'),
  ])
})

it('tells of wings in another order', () => {
  draw([...WINGS])
  expect(checkMap(root)).toEqual([expect.stringContaining('or in another order')])
})

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function draw(wings: string[]): void {
  write('ARCHITECTURE.md', wings.map(wing => `${wing}/   what it is for\n                room\n`).join(''))
}
