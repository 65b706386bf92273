/** Lets a test hold up the statements that accept entries, and see in which order the streams come to run theirs. */
import type { Pool } from '../../platform/database/pool.ts'

export interface StatementGate {
  pool: Pool
  /** The source of each statement that accepts, in the order in which they were begun. */
  accepting: string[]
  /** The sources whose entries were looked up; they are accepted next. */
  looked: string[]
  open(): void
}

export function gateStatements(pool: Pool): StatementGate {
  const accepting: string[] = []
  const looked: string[] = []
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const query = async (statement: unknown, values?: unknown[]) => {
    const { name, values: given } = statement as { name?: string; values?: string[] }
    if (name === 'accept_intents') {
      accepting.push(JSON.parse(given![0]!)[0].source)
      await opened
    }
    const answer = await pool.query(statement as string, values)
    if (/join malformed_intents/.test(String(statement))) looked.push(String(values![1]))
    return answer
  }
  const gated = new Proxy(pool, {
    get: (target, property) => (property === 'query' ? query : Reflect.get(target, property)),
  })
  return { pool: gated, accepting, looked, open: () => open() }
}
