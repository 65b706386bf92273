/**
 * Holds that migrations change large tables online: nobody who writes them may wait for as long as it takes to read or
 * rewrite one. A table that the migration creates is empty, so it may be changed in any way: all of the baseline's are.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'

const FOLDER = 'server/migrations'

/** Tables that stay small however much is sent, so that reading them under a lock takes a moment. */
const SMALL = [
  'categories',
  'master_keys',
  'notification_types',
  'provider_configs',
  'provider_health',
  'releases',
  'tenants',
  'time_zones',
]

/** Partitioned, so that their indexes cannot be built concurrently. Only what moves and deletes finished work waits for them. */
const ARCHIVES = ['records_archive', 'routes_archive', 'route_attempts_archive']

/** Gives every violation below the root as { file, line, rule }. */
export function checkMigrations(root) {
  return readdirSync(join(root, FOLDER))
    .filter(file => file.endsWith('.sql'))
    .sort()
    .flatMap(file => checkMigration(readFileSync(join(root, FOLDER, file), 'utf8'), `${FOLDER}/${file}`))
}

function checkMigration(text, file) {
  const [up] = text.split(/^-- Down Migration$/m)
  const isOutside = /^-- Outside a transaction: \S/m.test(up)
  const created = [...up.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(?:carillon\.)?(\w+)/gi)]
  const isExempt = table => SMALL.includes(table) || created.some(([, name]) => name === table)
  return statementsOf(up).flatMap(({ code, line }) => {
    const rule = isOutside ? brokenOutside(code) : brokenInside(code, isExempt)
    return rule === undefined ? [] : [{ file, line, rule }]
  })
}

/** Whoever finishes such a migration after a crash runs it from the start. */
function brokenOutside(code) {
  const isRepeatable = [
    /^create (unique )?index concurrently if not exists \w+ on /,
    /^drop index concurrently if exists \w+$/,
    /^alter table (carillon\.)?\w+ validate constraint \w+$/,
  ].some(pattern => pattern.test(code))
  if (isRepeatable && !/\$\$|;/.test(code)) return undefined
  return 'outside a transaction, only what can be repeated: create index concurrently if not exists, drop index concurrently if exists, validate constraint'
}

function brokenInside(code, isExempt) {
  if (/\bconcurrently\b/.test(code))
    return 'concurrently needs a migration with a line "-- Outside a transaction: why"'
  const index = /^create (?:unique )?index(?: if not exists)? \w+ on (?:only )?(?:carillon\.)?(\w+)/.exec(
    code,
  )
  if (index !== null && !isExempt(index[1]) && !ARCHIVES.includes(index[1]))
    return `an index on ${index[1]} is built concurrently, in a migration outside a transaction`
  const written = /^(?:update|delete from) (?:only )?(?:carillon\.)?(\w+)/.exec(code)?.[1]
  if (written !== undefined && !isExempt(written))
    return `the rows of ${written} are changed by the processes, in batches, not by a migration`
  if (/^(cluster|vacuum|reindex)\b/.test(code)) return 'nothing that rewrites a table under a lock'
  const table = /^alter table (?:if exists )?(?:only )?(?:carillon\.)?(\w+)/.exec(code)?.[1]
  return table === undefined || isExempt(table) ? undefined : brokenChange(code, table)
}

/** What makes PostgreSQL read or rewrite the whole table while it is locked. */
function brokenChange(code, table) {
  for (const action of actionsOf(code)) {
    const isValidatedLater = /\bnot valid\b/.test(action)
    if (/^add (constraint \w+ )?(check|foreign key)\b/.test(action) && !isValidatedLater)
      return `a constraint of ${table} is added "not valid", and validated by a later migration`
    if (/^add (constraint \w+ )?(unique|primary key)\b/.test(action) && !/\busing index\b/.test(action))
      return `a key of ${table} is added "using index", on one that was built concurrently`
    if (/^add (constraint \w+ )?exclude\b/.test(action))
      return `an exclusion of ${table} would read it under a lock`
    if (
      /^add (column )?(?!constraint)/.test(action) &&
      /\b(check|references|unique|primary key)\b/.test(action)
    )
      return `a column of ${table} gets its constraint as one of its own, "not valid"`
    if (/\bdefault\b.*\b(gen_random_uuid|uuid_v7|random|clock_timestamp|nextval)\b/.test(action))
      return `a default of ${table} that differs by row would rewrite it`
    if (/\bgenerated always as\b/.test(action)) return `a generated column of ${table} would rewrite it`
    if (/^alter (column )?\w+ (set data )?type\b/.test(action))
      return `another type for a column of ${table} would rewrite it`
    if (/^alter (column )?\w+ set not null\b/.test(action))
      return `"not null" reads ${table} under a lock: a check that was validated before spares it`
    if (/^set (tablespace|logged|unlogged)\b/.test(action)) return `this would rewrite ${table}`
  }
}

/** The parts of an `alter table`, split at commas outside parentheses. */
function actionsOf(code) {
  const list = code.replace(/^alter table (if exists )?(only )?(carillon\.)?\w+ /, '')
  const actions = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) actions.push('')
    else actions[actions.length - 1] += character
  }
  return actions.map(action => action.trim())
}

/** With their lines; in lower case, without comments, and with single spaces. */
function statementsOf(up) {
  const code = up.replace(/--[^\n]*/g, comment => ' '.repeat(comment.length))
  let start = 0
  return code.split(/;(?=(?:[^$]|\$(?!\$)|\$\$[\s\S]*?\$\$)*$)/).flatMap(part => {
    const first = start + part.search(/\S|$/)
    start += part.length + 1
    const statement = part.trim().replace(/\s+/g, ' ').toLowerCase()
    return statement === '' ? [] : [{ code: statement, line: code.slice(0, first).split('\n').length }]
  })
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkMigrations(fileURLToPath(new URL('..', import.meta.url)))
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
