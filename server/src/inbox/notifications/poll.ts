/**
 * Polling that costs little: an answer says what it has seen, and a caller who says it again gets 304 until something
 * changes. The ETag is exact. Last-Modified counts seconds, and a change may commit later than it says, so for a minute
 * after a change, callers who only send that get the whole answer.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Executor } from '../../platform/database/pool.ts'
import type { InboxOwner } from './owner.ts'
import { type InboxState, selectHasChanged, selectState } from './queries.ts'
import { isVersion } from './version.ts'

/** How often it makes sense to ask; those who want to know sooner open the stream. */
const POLL_INTERVAL_SECONDS = 30
/** No transaction that writes to inboxes is open for longer. */
const LATEST_COMMIT_SECONDS = 60

/** Answers 304 if the caller has seen everything; only asks the database if it says what it has seen. */
export async function isUnchanged(
  db: Executor,
  owner: InboxOwner,
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
): Promise<boolean> {
  const tag = headers['if-none-match']
  const hasSeenAll =
    tag === undefined
      ? await hasSeenTime(db, owner, Date.parse(headers['if-modified-since'] ?? ''))
      : await hasSeenTag(db, owner, tag)
  if (!hasSeenAll) return false
  if (tag !== undefined) reply.header('etag', tag)
  sayHowToPoll(reply)
  // Without even a null, whose length would be that of the page to whoever keeps it.
  reply.status(304).send()
  return true
}

async function hasSeenTag(db: Executor, owner: InboxOwner, tag: string): Promise<boolean> {
  const [, whose, version = ''] = /^(?:W\/)?"([\w-]+)\.([\da-f:,]+)"$/.exec(tag) ?? []
  return whose === nameOf(owner) && isVersion(version) && !(await selectHasChanged(db, owner, version))
}

async function hasSeenTime(db: Executor, owner: InboxOwner, sinceMs: number): Promise<boolean> {
  if (Number.isNaN(sinceMs)) return false
  const { changed_at, now } = await selectState(db, owner)
  const settled = changed_at.getTime() + LATEST_COMMIT_SECONDS * 1000 < now.getTime()
  return settled && Math.floor(changed_at.getTime() / 1000) * 1000 <= sinceMs
}

export function sayVersion(
  reply: FastifyReply,
  owner: InboxOwner,
  { version, changed_at }: Pick<InboxState, 'version' | 'changed_at'>,
): void {
  reply.header('etag', `W/"${nameOf(owner)}.${version}"`)
  reply.header('last-modified', changed_at.toUTCString())
  sayHowToPoll(reply)
}

/** A token says whose inbox an address means, so a browser must not show one person what it kept of another. */
function sayHowToPoll(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache')
  reply.header('vary', 'Origin, Authorization')
  reply.header('x-poll-interval', POLL_INTERVAL_SECONDS)
}

/** A version alone says nothing about whose it is: for somebody to whom nothing has happened, it would be as good. */
function nameOf({ tenantId, userId }: InboxOwner): string {
  return createHash('sha256').update(`${tenantId} ${userId}`).digest('base64url').slice(0, 16)
}
