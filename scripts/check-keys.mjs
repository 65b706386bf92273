/**
 * Holds that the tenant leads every primary key, every unique index and every foreign key: no two tenants share one, and the
 * tables can be spread over servers by tenant. docs/operations/scaling.md says what that is good for.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { lineOf } from './import-scan.mjs'

const SCHEMA = 'server/schema.sql'

/** Tables about the instance: their rows are on every server, or on one of their own. */
const OF_THE_INSTANCE = {
  accounts: 'one person may operate several tenants, and signs in before any of them is known',
  admin_system_events:
    'events of the instance have no tenant, and rows cannot be spread by a column that is null; one row per problem is few',
  invariant_walks: 'how far the reconciler has looked, through the rows of all tenants',
  master_keys: 'the key that all secrets are encrypted with',
  provider_configs:
    'those from the environment belong to no tenant; a provider is claimed by its id, which names no tenant',
  provider_health: 'breakers of the same providers',
  recent_sends: 'rates of providers and webhooks, counted by their random ids',
  releases: 'versions of the schema',
  restores: 'what the whole instance was restored to',
  sessions: 'a cookie says whose it is: an account’s, which has no tenant, or that of a key',
  tenants: 'the tenants themselves',
  time_zones: 'clock changes',
}

/**
 * The one other exception: hashes of secrets that say which tenant is calling, so that a row is found by one before its
 * tenant is known. They are unique beside the table's own key, since whoever presents one must not be two tenants.
 */
const FOUND_WITHOUT_TENANT = {
  api_keys_key_hash_key: 'a key says who is calling',
  http_trigger_details_token_hash_key: 'an address says which trigger is called',
  invitations_token_hash_key: 'a link says which tenant somebody is invited to',
}

/** Gives every violation as { file, line, rule }. */
export function checkKeys(schema, instance = OF_THE_INSTANCE, found = FOUND_WITHOUT_TENANT) {
  const withoutTenant = keysOf(schema).filter(({ columns }) => columns[0] !== 'tenant_id')
  const isExcepted = ({ table, name, isPrimary }) => table in instance || (name in found && !isPrimary)
  const isNeeded = exception =>
    withoutTenant.some(({ table, name }) => (exception in instance ? table : name) === exception)
  return [
    ...[
      ...withoutTenant.filter(key => !isExcepted(key)),
      ...foreignKeysOf(schema).filter(
        ({ table, columns, referred }) =>
          !(table in instance || referred in instance) && columns[0] !== 'tenant_id',
      ),
    ].map(({ table, name, line }) => ({
      file: SCHEMA,
      line,
      rule: `${name} of ${table} does not start with tenant_id`,
    })),
    ...[...Object.keys(instance), ...Object.keys(found)]
      .filter(exception => !isNeeded(exception))
      .map(exception => ({
        file: SCHEMA,
        line: 1,
        rule: `the exception for ${exception} is not needed any more`,
      })),
    ...tablesOf(schema)
      .filter(({ table, body }) => !(table in instance) && !/^ {2}tenant_id .*not null/m.test(body))
      .map(({ table, line }) => ({
        file: SCHEMA,
        line,
        rule: `${table} has no tenant_id that is never null`,
      })),
    ...tablesOf(schema)
      .filter(({ table }) => !keysOf(schema).some(key => key.table === table))
      .map(({ table, line }) => ({ file: SCHEMA, line, rule: `${table} has no key` })),
  ]
}

function tablesOf(schema) {
  return [...schema.matchAll(/^create table carillon\.(\w+) \(\n([\s\S]*?)\n\)/gm)].map(match => ({
    table: match[1],
    body: match[2],
    line: lineOf(schema, match.index),
  }))
}

function keysOf(schema) {
  const indexes = [
    ...schema.matchAll(/^CREATE UNIQUE INDEX (\w+) ON (?:ONLY )?carillon\.(\w+) USING \w+ \(([^)]*)\)/gm),
  ]
  return [
    ...constraintsOf(schema, /(PRIMARY KEY|UNIQUE)[^(]*\(([^)]*)\)/).map(({ parts, ...key }) => ({
      ...key,
      isPrimary: parts[0] === 'PRIMARY KEY',
      columns: parts[1].split(', '),
    })),
    ...indexes.map(match => ({
      table: match[2],
      name: match[1],
      isPrimary: false,
      columns: match[3].split(', '),
      line: lineOf(schema, match.index),
    })),
  ]
}

function foreignKeysOf(schema) {
  return constraintsOf(schema, /FOREIGN KEY \(([^)]*)\) REFERENCES (?:carillon\.)?(\w+)/).map(
    ({ parts, ...key }) => ({ ...key, columns: parts[0].split(', '), referred: parts[1] }),
  )
}

function constraintsOf(schema, definition) {
  const constraint = new RegExp(`^ {2}constraint (\\w+) ${definition.source}`, 'gm')
  return tablesOf(schema).flatMap(({ table, body, line }) =>
    [...body.matchAll(constraint)].map(match => ({
      table,
      name: match[1],
      parts: match.slice(2),
      line: line + lineOf(body, match.index),
    })),
  )
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const violations = checkKeys(readFileSync(join(root, SCHEMA), 'utf8'))
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
