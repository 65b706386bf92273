/**
 * Migrations that PostgreSQL refuses inside a transaction: indexes that are built while others write. Each statement is done
 * by itself, so a process that dies leaves some of them done. Those are found done by the next one, and an index that was
 * not finished is built anew.
 */
import { type Migration, recordMigration, step } from './migrations.ts'
import type { Connection } from './pool.ts'

export async function applyOutside(client: Connection, { name, up }: Migration): Promise<void> {
  for (const statement of statementsOf(up)) {
    const index = indexBuiltBy(statement)
    if (index !== undefined) await dropUnfinished(client, index)
    await step(client, statement, `${name} cannot be applied`)
  }
  await recordMigration(client, name)
}

/** A test allows nothing in them that has a semicolon inside: online-migrations.test.ts. */
export function statementsOf(up: string): string[] {
  const code = up.replace(/--[^\n]*/g, '')
  return code.split(';').flatMap(statement => (statement.trim() === '' ? [] : [statement.trim()]))
}

function indexBuiltBy(statement: string): string | undefined {
  return /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i.exec(statement)?.[1]
}

async function dropUnfinished(client: Connection, index: string): Promise<void> {
  const { rows } = await client.query(
    `select from pg_index where indexrelid = to_regclass($1) and not indisvalid`,
    [`carillon.${index}`],
  )
  if (rows.length > 0) await client.query(`drop index concurrently carillon.${index}`)
}
