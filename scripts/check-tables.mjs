/** Holds that a table is written only in its own room: in the room's folder, or in its SQL functions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { isTest, lineOf, scanWorkspaces } from './import-scan.mjs'
import { EXCEPTIONS, TABLE_OWNERS } from './table-owners.mjs'
import { roomOf } from './wings.mjs'

const FUNCTIONS = 'server/functions'
const SCHEMA = 'server/schema.sql'

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
// Strings stay as they are: a statement may stand in one.
const sqlComments = /--[^\n]*|\/\*[\s\S]*?\*\//g

/** Gives every violation below the root as { file, line, rule }. */
export function checkTables(root, owners = TABLE_OWNERS, exceptions = EXCEPTIONS) {
  const found = [...scanServer(root), ...scanFunctions(root)].flatMap(file => writesOf(file, owners))
  const foreign = found.filter(write => !isAtHome(write, owners))
  return [
    ...checkOwners(root, owners),
    ...foreign.filter(write => !isExcepted(write, exceptions)).map(write => violation(write, owners)),
    ...unusedExceptions(foreign, exceptions),
  ]
}

function scanServer(root) {
  return scanWorkspaces(root)
    .filter(file => file.path.startsWith('server/src/') && !isTest(file))
    .map(({ path, code }) => ({ path, code, room: roomOf(path) }))
}

function scanFunctions(root) {
  return listFiles(root, FUNCTIONS)
    .filter(path => path.endsWith('.sql'))
    .map(path => ({
      path,
      code: readFileSync(join(root, path), 'utf8').replace(sqlComments, comment =>
        comment.replace(/[^\n]/g, ' '),
      ),
      room: path.split('/')[2],
    }))
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

/** SQL functions stand in a folder named like the room, without its wing. */
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

function checkOwners(root, owners) {
  const schema = existsSync(join(root, SCHEMA)) ? readFileSync(join(root, SCHEMA), 'utf8') : ''
  const tables = [...schema.matchAll(/^create table carillon\.(\w+)/gm)]
  const names = tables.map(([, table]) => table)
  return [
    ...tables
      .filter(([, table]) => !Object.hasOwn(owners, table))
      .map(match => ({ file: SCHEMA, line: lineOf(schema, match.index), rule: `${match[1]} has no owner` })),
    ...Object.keys(owners)
      .filter(table => !names.includes(table))
      .map(table => ({ file: SCHEMA, line: 1, rule: `${table} has an owner but does not exist` })),
    ...[...new Set(Object.values(owners))]
      .filter(room => !existsSync(join(root, 'server/src', room)))
      .map(room => ({ file: `server/src/${room}`, line: 1, rule: 'the room of a table does not exist' })),
  ]
}

function listFiles(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = posix.join(folder, entry.name)
    return entry.isDirectory() ? listFiles(root, path) : [path]
  })
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkTables(fileURLToPath(new URL('..', import.meta.url)))
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
