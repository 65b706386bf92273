/** What server/schema.sql says, and the functions' bodies as the database has them. */
import { describeSchema } from '../src/platform/database/describe-schema.ts'
import type { Pool } from '../src/platform/database/pool.ts'

export async function describeAll(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ body: string }>(
    `select pg_get_functiondef(oid) as body from pg_proc where pronamespace = 'carillon'::regnamespace
     order by proname, oid::regprocedure::text`,
  )
  return [await describeSchema(pool), ...rows.map(row => row.body)].join('\n')
}
