/** What the columns of a room's tables take, whoever writes to them. */
import { describe, expect, it } from 'vitest'
import type { Pool } from '../src/platform/database/pool.ts'

const CHECK_VIOLATION = '23514'

interface Tenanted {
  readonly pool: Pool
  readonly tenantId: string
}

export interface ColumnRules {
  /** `table.column`, its longest text, and a statement that takes the tenant as $1 and the text as $2. */
  longest?: [column: string, length: number, sql: string][]
  /** A statement that breaks a rule, and the rule's name; $1 is the tenant. */
  refused?: [what: string, sql: string, constraint: string][]
}

export function describeColumns(owner: Tenanted, { longest = [], refused = [] }: ColumnRules): void {
  describe('the database', () => {
    for (const [column, length, sql] of longest)
      it(`takes ${column} of ${length} characters and refuses one more, never cutting`, {
        tags: 'S002-35',
      }, async () => {
        const [table, name] = column.split('.')
        const write = (text: string) => owner.pool.query(sql, [owner.tenantId, text])
        await write('x'.repeat(length))
        const kept = await owner.pool.query(`select max(length(${name})) as length from ${table}`)
        expect(kept.rows[0].length).toBe(length)
        const constraint = `${table}_${name}_check`
        await expect(write('x'.repeat(length + 1))).rejects.toMatchObject({
          code: CHECK_VIOLATION,
          constraint,
        })
      })

    for (const [what, sql, constraint] of refused)
      it(`refuses ${what}`, { tags: 'S000-18' }, async () => {
        const writing = owner.pool.query(sql, sql.includes('$1') ? [owner.tenantId] : [])
        await expect(writing).rejects.toMatchObject({ code: CHECK_VIOLATION, constraint })
      })
  })
}
