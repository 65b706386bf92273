/** The PostgreSQL error codes that Carillon acts upon, by name. */

const CODES = {
  unique_violation: '23505',
  foreign_key_violation: '23503',
  check_violation: '23514',
  deadlock_detected: '40P01',
  serialization_failure: '40001',
  lock_not_available: '55P03',
  invalid_function_definition: '42P13',
  insufficient_privilege: '42501',
  too_many_connections: '53300',
  dependent_objects_still_exist: '2BP01',
} as const

export type DatabaseErrorName = keyof typeof CODES

interface DatabaseError extends Error {
  code: string
  constraint?: string
  detail?: string
  hint?: string
}

export function isDatabaseError(error: unknown, ...names: DatabaseErrorName[]): error is DatabaseError {
  const code = sqlState(error)
  return code !== undefined && (names.length === 0 || names.some(name => CODES[name] === code))
}

/** The statement's own data is at fault: running it again unchanged would fail again. */
export function isDataError(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && /^(21|22|23|54)/.test(code)
}

/** The server has refused the statement, and neither the connection nor the moment is at fault. */
export function isRefusedStatement(error: unknown): boolean {
  return sqlState(error) !== undefined && !isUnavailableError(error)
}

/** A value in the request that the database's own types refuse. */
export function isValueError(error: unknown): boolean {
  return /^(22|54)/.test(sqlState(error) ?? '')
}

const CONNECTION_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // No file left for another connection.
  'EMFILE',
  'ENFILE',
]
const CONNECTION_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|connection error|Query read timeout/

/**
 * 08 connection, 53 out of connections, disk or memory, 57P0 starting or stopping, 57014 too slow, 55P03 locked, 40 met
 * another transaction, 25006 read-only: a standby that was the primary a moment ago.
 */
const UNAVAILABLE_STATES = /^(08|53|57P0|57014|55P03|40001|40P01|25006)/

/** The connection failed, or the server cannot do it now: the same request may work in a moment. */
export function isUnavailableError(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  return (
    UNAVAILABLE_STATES.test(sqlState(error) ?? '') ||
    CONNECTION_CODES.includes(String(code)) ||
    CONNECTION_MESSAGES.test(message ?? '')
  )
}

function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}
