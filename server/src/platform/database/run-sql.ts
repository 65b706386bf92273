/** Statements that a person typed, one after the other on one connection. */
import type pg from 'pg'
import { createClient } from './pool.ts'

export interface SqlResult {
  /** What was done, such as `INSERT 1`. */
  command: string
  /** Names of the columns; empty for a statement that returns none. */
  fields: string[]
  rows: Record<string, unknown>[]
}

/** People see the database as in psql: their own tables are in `public`. */
const SETTINGS = '-c search_path=public'

export async function runSql(url: string, texts: string[]): Promise<SqlResult[]> {
  const client = createClient(url, SETTINGS)
  await client.connect()
  try {
    const results: pg.QueryResult[] = []
    // Several statements in a text give several results, which the types do not know.
    for (const text of texts)
      results.push(...[(await client.query(text)) as pg.QueryResult | pg.QueryResult[]].flat())
    return results.map(({ command, rowCount, fields, rows }) => ({
      command: [command, rowCount].filter(part => part !== null).join(' '),
      fields: fields.map(field => field.name),
      rows,
    }))
  } finally {
    await client.end()
  }
}
