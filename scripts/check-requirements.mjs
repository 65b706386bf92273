/**
 * Checks that every requirement of docs/reference/requirements.md is the tag of a test, that none of them is lost, and that
 * it says which ones only `npm run prove` proves: the tags of *.prove.ts alone.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'

export const DOCUMENT = 'docs/reference/requirements.md'
/** How many each source has; a line that is deleted from the document is missed. */
const COUNTS = { S000: 34, S001: 33, S002: 36, S003: 28, S004: 19 }
const FOLDERS = ['bench', 'contract', 'e2e', 'examples', 'scripts', 'sdk', 'server']
/** As an option of a test, or as the last element of a case of plans. */
const TAGS = /\btags: '[^']*'|\btags: \[[^\]]*\]|(?<=, |^ *)\[(?:'S00\d-\d+'(?:, )?)+\]/gm
const ID = /\bS00\d-\d+\b/g

/** Gives every problem as a sentence. */
export function checkRequirements(root, counts = COUNTS) {
  const expected = Object.entries(counts).flatMap(([source, count]) =>
    Array.from({ length: count }, (_, i) => `${source}-${i + 1}`),
  )
  const document = readFileSync(join(root, DOCUMENT), 'utf8')
  const listed = document
    .split('\n')
    .map(line => /^\| (S00\d-\d+) \| \S/.exec(line)?.[1])
    .filter(Boolean)
  const named = namedIn(root, /\.(test|prove)\.ts$/)
  const tested = namedIn(root, /\.test\.ts$/)
  const onlyProven = expected.filter(id => named.has(id) && !tested.has(id))
  return [
    ...(String(listed) === String(expected) ? [] : [`${DOCUMENT} ${howItDiffers(listed, expected)}`]),
    ...expected.filter(id => !named.has(id)).map(id => `${id} is the tag of no test`),
    ...[...named]
      .filter(id => !expected.includes(id))
      .map(id => `${id} is the tag of a test, and is no requirement`),
    ...(document.includes(sentenceOf(onlyProven)) ? [] : [`${DOCUMENT} lacks "${sentenceOf(onlyProven)}"`]),
  ]
}

/** What the document says of requirements whose proof takes too long for `npm test`. */
export function sentenceOf(ids) {
  return `Proven only by the long rounds of \`npm run prove\`: ${ids.join(', ') || 'none'}.`
}

function namedIn(root, kind) {
  return new Set(testsBelow(root, kind).flatMap(path => tagsIn(readFileSync(path, 'utf8'))))
}

function tagsIn(text) {
  return (text.match(TAGS) ?? []).flatMap(tags => tags.match(ID) ?? [])
}

function howItDiffers(listed, expected) {
  const missing = expected.filter(id => !listed.includes(id))
  if (missing.length > 0) return `lacks ${missing.join(', ')}`
  return 'lists ids twice, in another order, or ones that are not known'
}

function testsBelow(root, kind) {
  return FOLDERS.filter(folder => existsSync(join(root, folder))).flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => kind.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name))
      .filter(path => !/\/(node_modules|dist)\//.test(path) && !path.endsWith('check-requirements.test.ts')),
  )
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkRequirements(fileURLToPath(new URL('..', import.meta.url)))
  for (const sentence of problems) console.log(sentence)
  process.exitCode = problems.length > 0 ? 1 : 0
}
