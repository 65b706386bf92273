/**
 * Polling that costs little: an answer says what it has seen, and a caller who says it again gets 304 until something
 * changes. The ETag is exact. Last-Modified counts seconds, and a change may commit later than it says, so for a minute
 * after a change, callers who only send that get the whole answer.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Executor } from '../../platform/database/pool.ts'
import type { InboxOwner } from './owner.ts'
import { type InboxState, selectHasChanged, selectState } from './queries.ts'
import { isVersion } from './version.ts'

/** How often it makes sense to ask; those who want to know sooner open the stream. */
const POLL_INTERVAL_SECONDS = 30
/** No transaction that writes to inboxes is open for longer. */
const LATEST_COMMIT_SECONDS = 60

/** Whether the caller has seen everything; only asks the database if it says what it has seen. */
export async function hasSeenAll(
  db: Executor,
  owner: InboxOwner,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Promise<boolean> {
  const tag = headers['if-none-match']
  if (tag !== undefined) {
    const version = /^(?:W\/)?"([\d:,]+)"$/.exec(tag)?.[1] ?? ''
    return isVersion(version) && !(await selectHasChanged(db, owner, version))
  }
  const since = Date.parse(headers['if-modified-since'] ?? '')
  if (Number.isNaN(since)) return false
  const { changed_at, now } = await selectState(db, owner)
  const settled = changed_at.getTime() + LATEST_COMMIT_SECONDS * 1000 < now.getTime()
  return settled && Math.floor(changed_at.getTime() / 1000) * 1000 <= since
}

export function sayVersion(
  reply: FastifyReply,
  { version, changed_at }: Pick<InboxState, 'version' | 'changed_at'>,
): void {
  reply.header('etag', `W/"${version}"`)
  reply.header('last-modified', changed_at.toUTCString())
  reply.header('cache-control', 'private, no-cache')
  reply.header('x-poll-interval', POLL_INTERVAL_SECONDS)
}
