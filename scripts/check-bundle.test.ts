import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkBundle } from './check-bundle.mjs'

/** What does not become smaller. */
const noise = (bytes: number) => `/* ${randomBytes(bytes).toString('base64')} */`
const ENTRY = 'carillon-inbox.js'
const LIMITS = { first: 3000, rows: 4000, part: 2000 }
const rules = (files: Record<string, string>) =>
  checkBundle(files, LIMITS).map(({ file, rule }: { file: string; rule: string }) => `${file} ${rule}`)

it('counts what is loaded at once, through as many files as there are', () => {
  const files = {
    [ENTRY]: `import{a as b}from"./part-a.js";${noise(1000)}`,
    'part-a.js': `export{c}from"./part-b.js";import"./part-c.js";${noise(800)}`,
    'part-b.js': noise(800),
  }
  expect(rules({ ...files, 'part-c.js': '1' })).toEqual([])
  expect(rules({ ...files, 'part-c.js': noise(1000) })).toEqual([
    expect.stringMatching(/^carillon-inbox.js loads \d.\d KB at once, more than 2.9 KB$/),
  ])
})

it('counts what somebody has loaded who sees rows', () => {
  const files = {
    [ENTRY]: `import{a}from"./part-a.js";import("./part-panel-x.js");${noise(1000)}`,
    'part-a.js': noise(500),
    'part-panel-x.js': `import"./part-a.js";import"./part-b.js";${noise(800)}`,
  }
  expect(rules({ ...files, 'part-b.js': noise(500) })).toEqual([])
  expect(rules({ ...files, 'part-b.js': noise(1700) })).toEqual([
    expect.stringMatching(/^carillon-inbox.js loads \d.\d KB to show rows, more than 3.9 KB$/),
  ])
})

it('counts what is loaded later by itself', () => {
  const files = { [ENTRY]: `import("./part-later.js");${noise(1000)}` }
  expect(rules({ ...files, 'part-later.js': noise(1800) })).toEqual([])
  expect(rules({ ...files, 'part-later.js': noise(2500) })).toEqual([
    expect.stringMatching(/^part-later.js has 2.\d KB, more than 2.0 KB$/),
  ])
})

it('finds what belongs on a server', () => {
  expect(rules({ [ENTRY]: 'fetch(process.env.X)' })).toEqual([
    'carillon-inbox.js contains process.env, which belongs on a server',
  ])
  expect(rules({ [ENTRY]: '', 'playground.js': '"process.env"' })).toEqual([])
})

it('says what to do where there is no bundle', () => {
  expect(() => rules({})).toThrow('npm run build')
})
