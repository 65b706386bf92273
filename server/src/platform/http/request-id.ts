/** The id that connects a request with its log lines, its records and what the caller logs itself. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Ids as proxies, tracers and applications write them; nothing that could break out of a log line or a header. */
const USABLE_ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/

/** The caller's own X-Request-Id, if it can be used, or else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && USABLE_ID.test(given) ? given : randomUUID()
}
