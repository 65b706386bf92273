import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkRequirements, DOCUMENT, sentenceOf } from './check-requirements.mjs'

const COUNTS = { S000: 2, S001: 1 }
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-requirements-'))
  list('S000-1', 'S000-2', 'S001-1')
  write('server/src/a.test.ts', "it('holds', { tags: ['S000-1', 'S000-2'] })")
  write('e2e/b.test.ts', "it('holds', { tags: 'S001-1' })")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('reports nothing when each requirement is the tag of a test', () => {
  expect(checkRequirements(root, COUNTS)).toEqual([])
})

it('reports a requirement that is the tag of no test, whatever other files say', () => {
  write('e2e/b.test.ts', '')
  write('server/src/a.ts', '// S001-1')
  write('server/src/title.test.ts', "it('S001-1 holds')")
  write('server/dist/a.test.ts', "it('holds', { tags: 'S001-1' })")
  expect(checkRequirements(root, COUNTS)).toEqual(['S001-1 is the tag of no test'])
})

it('tells a longer number from a shorter one', () => {
  write('server/src/a.test.ts', "it('holds', { tags: ['S000-1', 'S000-21'] })")
  expect(checkRequirements(root, COUNTS)).toEqual([
    'S000-2 is the tag of no test',
    'S000-21 is the tag of a test, and is no requirement',
  ])
})

it('is content with a case of plans', () => {
  write('e2e/b.test.ts', "['a name', 'an_index', call, ['S001-1']],")
  expect(checkRequirements(root, COUNTS)).toEqual([])
})

it('reports a line that the document lacks or has twice', () => {
  list('S000-1', 'S001-1')
  expect(checkRequirements(root, COUNTS)).toEqual([`${DOCUMENT} lacks S000-2`])
  list('S000-1', 'S000-2', 'S000-2', 'S001-1')
  expect(checkRequirements(root, COUNTS)).toEqual([expect.stringContaining('lists ids twice')])
})

it('reports requirements that only the long rounds prove, unless the document says so', () => {
  write('e2e/b.test.ts', '')
  write('e2e/b.prove.ts', "it('holds', { tags: 'S001-1' })")
  expect(checkRequirements(root, COUNTS)).toEqual([`${DOCUMENT} lacks "${sentenceOf(['S001-1'])}"`])
  write(DOCUMENT, `${sentenceOf(['S001-1'])}\n${rowsOf(['S000-1', 'S000-2', 'S001-1'])}`)
  expect(checkRequirements(root, COUNTS)).toEqual([])
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function list(...ids: string[]): void {
  write(DOCUMENT, `${sentenceOf([])}\n${rowsOf(ids)}`)
}

function rowsOf(ids: string[]): string {
  return ids.map(id => `| ${id} | something |\n`).join('')
}
