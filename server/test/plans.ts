/** How statements read their tables: which ones entirely, through which indexes, and how many pages. */
import { describe, expect, it } from 'vitest'
import type { Client, Pool } from '../src/platform/database/pool.ts'
import { type FullDatabase, ROWS } from './full-database.ts'

export interface Statement {
  text: string
  values: unknown[]
}

export type Call = (db: Pool) => Promise<unknown>

/** A name, a pattern for the index that must be used, the call that runs the query, and the requirements this proves. */
export type PlanCase = [name: string, index: string, call: Call, tags?: string[]]

interface Reading {
  /** Tables read from end to end, except small ones. */
  whole: string[]
  indexes: string[]
  pages: number
}

/** The tests of one room: each of its questions uses the index that is there for it. */
export function describePlans(full: FullDatabase, cases: PlanCase[]): void {
  describe(`with ${ROWS} rows in every table`, () => {
    itUsesIndexes(full, cases)
  })
}

export function itUsesIndexes(database: { pool: Pool }, cases: PlanCase[]): void {
  for (const [name, index, call, tags = []] of cases) {
    it(`the statement for ${name} uses ${index} and reads few pages`, { tags }, () =>
      expectIndex(database.pool, index, call),
    )
  }
}

/** What to ask for when any page or any row will do. */
export const UUID = '01900000-0000-7000-8000-000000000000'
export const PAGE = { after: undefined, limit: 21 }
export const NEXT_PAGE = { after: ['2026-01-01T00:00:00Z', UUID], limit: 21 }

/** Enough for one page of a list, or a hundred rows; the tables have thousands of disk pages. */
const FEW_PAGES = 800

export async function expectIndex(pool: Pool, index: string, call: Call): Promise<void> {
  const { whole, indexes, pages } = await readingOf(pool, call)
  expect(whole).toEqual([])
  expect(indexes).toContainEqual(expect.stringMatching(new RegExp(`^${index}$`)))
  expect(pages).toBeLessThan(FEW_PAGES)
}

/** Runs the call and rolls it back. What SQL functions read is found by counting scans, as plans do not show it. */
export async function readingOf(pool: Pool, call: Call): Promise<Reading> {
  const plans: Plan[] = []
  const scanned = await scansDuring(pool, call, async (client, statement) => {
    // Twice: on the first run, functions also read the catalog to plan their statements.
    await explain(client, statement)
    plans.push(await explain(client, statement))
  })
  const planned = plans.flatMap(nodesOf)
  return {
    ...scanned,
    indexes: [...planned.flatMap(node => node['Index Name'] ?? []), ...scanned.indexes],
    pages: plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0),
  }
}

/** As readingOf(), but without counting pages: for calls that take long, which it makes only once. */
export async function scansDuring(
  pool: Pool,
  call: Call,
  before?: (client: Client, statement: Statement) => Promise<void>,
): Promise<Omit<Reading, 'pages'>> {
  const client = await pool.connect()
  const query = async (asked: string | Statement, values: unknown[] = []) => {
    const statement = typeof asked === 'string' ? { text: asked, values } : asked
    await before?.(client, statement)
    return client.query(statement.text, statement.values)
  }
  try {
    await client.query('begin read write')
    // Counts of earlier transactions on this connection may still be included.
    const earlier = new Map((await scansOf(client)).map(({ name, scans }) => [name, scans]))
    await call({ query } as unknown as Pool)
    const scanned = (await scansOf(client)).filter(({ name, scans }) => scans > earlier.get(name)!)
    const namesOf = (isIndex: boolean) =>
      scanned.filter(({ is_index }) => is_index === isIndex).map(({ name }) => name)
    return { whole: namesOf(false), indexes: namesOf(true) }
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** The statements that the call would run if every query returned nothing. */
export async function statementsOf(call: Call): Promise<Statement[]> {
  const statements: Statement[] = []
  const query = async (asked: string | Statement, values: unknown[] = []) => {
    statements.push(typeof asked === 'string' ? { text: asked, values } : asked)
    return { rows: [], rowCount: 0 }
  }
  await call({ query } as unknown as Pool)
  return statements
}

async function explain(client: Client, { text, values }: Statement): Promise<Plan> {
  await client.query('savepoint before')
  const { rows } = await client.query(`explain (analyze, buffers, timing off, format json) ${text}`, values)
  await client.query('rollback to before')
  return rows[0]['QUERY PLAN'][0].Plan
}

/** How often this connection has scanned each index and read each large table entirely. */
async function scansOf(client: Client): Promise<{ name: string; is_index: boolean; scans: number }[]> {
  const { rows } = await client.query(
    `select relname as name, relkind = 'i' as is_index, pg_stat_get_xact_numscans(oid)::integer as scans
     from pg_class where relnamespace = 'carillon'::regnamespace
       and (relkind = 'i' or relkind = 'r' and reltuples >= 1000)`,
  )
  return rows
}

interface Plan {
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
