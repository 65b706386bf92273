/**
 * A pooler in transaction mode gives every transaction another session, so nothing may be left in one: statements lose
 * their names (pool.ts), Carillon takes locks and settings for a transaction only, and it listens on a connection to the
 * server itself. What its sessions need from the start, which a pooler does not pass on, has to be set for its role.
 */
import { type Connection, createClient, type Executor, SESSION_SETTINGS } from './pool.ts'

interface Session {
  role: string
  database: string
  /** The same for all sessions of a database. */
  place: string
  settings: Record<string, string>
}

/** Without a limit on the server, a statement whose caller is gone goes on and keeps its locks. */
const LIMITS = { statement_timeout: '30s', idle_in_transaction_session_timeout: '60s' }

/** Better to refuse the start once than to fail, or to find other tables, in the middle of the work. */
export async function refuseUnpreparedPooler(pooled: Executor, serverUrl: string): Promise<void> {
  const session = await describeSession(pooled)
  const server: Connection = createClient(serverUrl)
  try {
    await server.connect()
    if ((await describeSession(server)).place !== session.place)
      throw new Error('CARILLON_POOLER_URL leads to another database than DATABASE_URL.')
  } finally {
    await server.end().catch(() => {})
  }
  const missing = [
    ...Object.entries(SESSION_SETTINGS).filter(([name, value]) => session.settings[name] !== value),
    ...Object.entries(LIMITS).filter(([name]) => session.settings[name] === '0'),
  ]
  if (missing.length === 0) return
  const statements = missing.map(
    ([name, value]) =>
      `  alter role ${quoted(session.role)} in database ${quoted(session.database)} set ${name} = '${value}';`,
  )
  throw new Error(
    `The sessions behind CARILLON_POOLER_URL lack settings that Carillon relies on. Give them to its role, and then let the pooler connect anew (RECONNECT in the console of PgBouncer):\n${statements.join('\n')}`,
  )
}

async function describeSession(db: Executor): Promise<Session> {
  const { rows } = await db.query<Session>(
    `select current_user as role, current_database() as database,
       concat_ws(' ', extract(epoch from pg_postmaster_start_time()), (select oid from pg_database where datname = current_database())) as place,
       (select json_object_agg(lower(name), setting) from pg_settings where lower(name) = any ($1)) as settings`,
    [[...Object.keys(SESSION_SETTINGS), ...Object.keys(LIMITS)]],
  )
  return rows[0]!
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
