/** `carillon psql`: SQL on Carillon's database, also where psql is not installed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { loadConfig, programEnvironment } from '../../platform/config/config.ts'
import type { Invocation, Open } from '../invocation.ts'
import { type Column, renderTable } from '../output/table.ts'

export function addPsql(program: Command, open: Open): void {
  program
    .command('psql')
    .argument('[arguments...]', 'passed on to psql, such as -c "select 1"')
    .allowUnknownOption()
    .helpOption(false)
    .description(
      'open psql on Carillon’s database; without psql on this machine, run the statements of -c, -f or stdin',
    )
    .action(async (given: string[], _options, command: Command) => {
      const invocation = open(command)
      const { terminal, print } = invocation
      const { borrowDatabase } = await import('../../platform/embedded-database/open.ts')
      const database = await borrowDatabase(loadConfig(terminal.environment), print.remark)
      try {
        const isDone = !print.json && (await runPsql(invocation, database.ownerUrl, given))
        if (!isDone) await runStatements(invocation, database.ownerUrl, given)
      } finally {
        await database.close()
      }
    })
}

/** false: there is no psql. The password goes into its environment, since everybody can read arguments. */
async function runPsql(invocation: Invocation, url: string, given: string[]): Promise<boolean> {
  const { terminal, endWithFailure } = invocation
  const env = { ...programEnvironment(terminal.environment), ...connectionVariables(url) }
  const psql = spawn('psql', given, { env, stdio: 'inherit' })
  // Ctrl-C is psql's: it cancels a statement, and does not end the session.
  terminal.onSignal('SIGINT', () => {})
  try {
    const [code] = await once(psql, 'close')
    if (code !== 0) endWithFailure()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** libpq's names for the parts of an address. */
function connectionVariables(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const parts: Record<string, string | null> = {
    PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGOPTIONS: searchParams.get('options'),
    PGSSLMODE: searchParams.get('sslmode'),
    PGSSLROOTCERT: searchParams.get('sslrootcert'),
    PGSSLCERT: searchParams.get('sslcert'),
    PGSSLKEY: searchParams.get('sslkey'),
  }
  return Object.fromEntries(
    Object.entries(parts).filter((part): part is [string, string] => Boolean(part[1])),
  )
}

async function runStatements({ terminal, print }: Invocation, url: string, given: string[]): Promise<void> {
  const { runSql } = await import('../../platform/database/run-sql.ts')
  const texts = await statementsOf(given, terminal.readStdin)
  if (texts === undefined) {
    throw new Error(
      'psql is not on the PATH. Install it, or run statements without it: carillon psql -c "select 1", or from a file or pipe: carillon psql < statements.sql',
    )
  }
  const results = await runSql(url, texts)
  if (print.json) return print.show(results, () => '')
  for (const { command, fields, rows } of results) {
    if (fields.length === 0) print.remark(command)
    else print.show(rows, () => renderTable(rows, fields.map(columnOf), print.width, print.colors))
  }
}

/** The statements of -c and -f, or of stdin if there are neither; undefined where a person would have to type them. */
async function statementsOf(
  given: string[],
  readStdin: () => Promise<string>,
): Promise<string[] | undefined> {
  const texts: string[] = []
  for (let i = 0; i < given.length; i++) {
    const option = given[i]!
    const [, name, attached] =
      /^-([cf])(.*)$/s.exec(option) ?? /^--(command|file)(?:=(.*))?$/s.exec(option) ?? []
    if (name === undefined)
      throw new Error(`Without psql on the PATH, only -c and -f are understood, not ${option}.`)
    const value = attached || given[++i]
    if (value === undefined) throw new Error(`${option} needs a value.`)
    texts.push(name.startsWith('c') ? value : await (value === '-' ? readStdin() : readFile(value, 'utf8')))
  }
  if (texts.length > 0) return texts
  return process.stdin.isTTY ? undefined : [await readStdin()]
}

function columnOf(name: string): Column<Record<string, unknown>> {
  return {
    head: name,
    whole: true,
    value: row => {
      const value = row[name]
      if (value === null || value === undefined) return null
      if (value instanceof Date) return value.toISOString()
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    },
  }
}
