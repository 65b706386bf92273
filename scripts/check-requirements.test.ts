import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkRequirements, DOCUMENT } from './check-requirements.mjs'

const COUNTS = { S000: 2, S001: 1 }
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-requirements-'))
  list('S000-1', 'S000-2', 'S001-1')
  write('server/src/a.test.ts', "it('S000-1 and S000-2 hold')")
  write('e2e/b.test.ts', "it('S001-1 holds')")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('is content when a test names each', () => {
  expect(checkRequirements(root, COUNTS)).toEqual([])
})

it('names what no test names; what other files say is no proof', () => {
  write('e2e/b.test.ts', '')
  write('server/src/a.ts', '// S001-1')
  write('server/dist/a.test.ts', "it('S001-1')")
  expect(checkRequirements(root, COUNTS)).toEqual(['S001-1 is named by no test'])
})

it('tells a longer number from a shorter one', () => {
  write('server/src/a.test.ts', "it('S000-1 and S000-21')")
  expect(checkRequirements(root, COUNTS)).toEqual([
    'S000-2 is named by no test',
    'S000-21 is named by a test, and is no requirement',
  ])
})

it('misses a line of the document, and notices one too many', () => {
  list('S000-1', 'S001-1')
  expect(checkRequirements(root, COUNTS)).toEqual([`${DOCUMENT} lacks S000-2`])
  list('S000-1', 'S000-2', 'S000-2', 'S001-1')
  expect(checkRequirements(root, COUNTS)).toEqual([expect.stringContaining('lists ids twice')])
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function list(...ids: string[]): void {
  write(DOCUMENT, ids.map(id => `| ${id} | something |\n`).join(''))
}
