/** Holds that a table is written only in its own room: in the room's folder, or in its SQL functions. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { TEST } from './import-rules.mjs'
import { EXCEPTIONS, TABLE_OWNERS } from './table-owners.mjs'

const SOURCES = 'server/src'
const FUNCTIONS = 'server/functions'

// A table's name, or a place where one is put in when the statement runs.
const name = /(?:only\s+)?(?:carillon\.)?(?:\w+|\$\{|%(?:\d+\$)?[Is])/.source
const names = `(?<tables>${name}(?:\\s*,\\s*${name})*)`
const writes = [
  // `set` tells it from "for update of", "on conflict do update" and triggers.
  new RegExp(`\\bupdate\\s+${names}[^;()]{0,80}?\\sset\\b`, 'gi'),
  new RegExp(
    `\\b(?:insert\\s+into|merge\\s+into|delete\\s+from|truncate(?:\\s+table)?|lock\\s+table)\\s+${names}`,
    'gi',
  ),
]
// Strings stay as they are: a statement may stand in one, and what looks like a comment, too.
const comments = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const sqlComments = /--[^\n]*|\/\*[\s\S]*?\*\//g

/** Gives every violation below the root as { file, line, rule }. */
export function checkTables(root, owners = TABLE_OWNERS, exceptions = EXCEPTIONS) {
  const found = [...scanServer(root), ...scanFunctions(root)].flatMap(file => writesOf(file, owners))
  const foreign = found.filter(write => !isAtHome(write, owners))
  return [
    ...foreign.filter(write => !isExcepted(write, exceptions)).map(write => violation(write, owners)),
    ...unusedExceptions(foreign, exceptions),
  ]
}

function scanServer(root) {
  return listFiles(root, SOURCES, '.ts')
    .filter(path => !new RegExp(TEST).test(path))
    .map(path => ({
      path,
      code: withoutComments(root, path, comments),
      room: path.split('/').slice(2, 4).join('/'),
    }))
}

/** SQL functions stand in a folder named like the room, without its wing. */
function scanFunctions(root) {
  return listFiles(root, FUNCTIONS, '.sql').map(path => ({
    path,
    code: withoutComments(root, path, sqlComments),
    room: path.split('/')[2],
  }))
}

/** Keeps the line breaks, so that line numbers stay correct. */
function withoutComments(root, path, pattern) {
  return readFileSync(join(root, path), 'utf8').replace(pattern, token =>
    /^(--|\/)/.test(token) ? token.replace(/[^\n]/g, ' ') : token,
  )
}

function writesOf({ path, code, room }, owners) {
  const found = writes.flatMap(pattern => [...code.matchAll(pattern)])
  return found.flatMap(match =>
    tablesOf(match.groups.tables)
      .filter(table => table === '*' || Object.hasOwn(owners, table))
      .map(table => ({ file: path, room, line: lineOf(code, match.index), table })),
  )
}

function tablesOf(list) {
  const tables = list.toLowerCase().split(',')
  return tables.map(table =>
    table
      .trim()
      .replace(/^only\s+/, '')
      .replace(/^carillon\./, '')
      .replace(/^(\$\{|%(\d+\$)?[is])$/, '*'),
  )
}

function isAtHome({ file, room, table }, owners) {
  const owner = owners[table]
  return file.startsWith(`${FUNCTIONS}/`) ? owner?.endsWith(`/${room}`) : owner === room
}

function isExcepted({ file, table }, exceptions) {
  return exceptions[file]?.tables.includes(table)
}

function violation({ file, line, table }, owners) {
  const rule =
    table === '*'
      ? 'a written table is named in the statement, so that its room can be checked'
      : `${table} is written only in ${owners[table]}/`
  return { file, line, rule }
}

function unusedExceptions(foreign, exceptions) {
  return Object.entries(exceptions).flatMap(([file, { tables }]) =>
    tables
      .filter(table => !foreign.some(write => write.file === file && write.table === table))
      .map(table => ({ file, line: 1, rule: `the exception for ${table} is not needed any more` })),
  )
}

function listFiles(root, folder, ending) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter(name => name.endsWith(ending))
    .map(name => posix.join(folder, name.replaceAll('\\', '/')))
}

function lineOf(code, index) {
  return code.slice(0, index).split('\n').length
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkTables(fileURLToPath(new URL('..', import.meta.url)))
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
