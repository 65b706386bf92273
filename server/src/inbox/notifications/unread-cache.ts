/**
 * Unread counts in Redis, so that polling does not count thousands of rows again. A count is kept with the version it was
 * counted at, and used only while nothing has changed since, which the database answers with three lookups: a write makes
 * it void in its own commit, whoever writes, and a Redis that is lost, empty or stale costs a recount and nothing else.
 */
import type { UnreadCount } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { connectRedis } from '../../platform/memory/redis-client.ts'
import { countUnread } from './inbox.ts'
import type { InboxOwner } from './owner.ts'
import { selectHasChanged } from './queries.ts'
import { isVersion } from './version.ts'

export type CountUnread = typeof countUnread

const KEPT_SECONDS = 3600
/** So long a Redis that failed is not asked again. */
const COOL_DOWN_MS = 1000

export interface UnreadCache {
  count: CountUnread
  close(): void
}

export function createUnreadCache(url: string, now: () => number): UnreadCache {
  const redis = connectRedis(url)
  let askAgainAt = Number.NEGATIVE_INFINITY

  /** Undefined if Redis does not answer. */
  async function ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (now() < askAgainAt) return undefined
    try {
      return await command()
    } catch {
      askAgainAt = now() + COOL_DOWN_MS
      return undefined
    }
  }

  return {
    async count(db: Executor, owner: InboxOwner) {
      const key = `carillon:unread:${owner.tenantId}:${owner.userId}`
      const kept = readKept(await ask(() => redis.get(key)))
      if (kept !== undefined && !(await selectHasChanged(db, owner, kept.version))) return kept
      const counted = await countUnread(db, owner)
      await ask(() => redis.set(key, JSON.stringify(counted), 'EX', KEPT_SECONDS))
      return counted
    },
    close: () => redis.disconnect(),
  }
}

/** What others may have written into Redis is not trusted. */
function readKept(text: string | null | undefined): (UnreadCount & { changed_at: Date }) | undefined {
  try {
    const { unread, version, changed_at } = JSON.parse(text ?? '')
    const time = new Date(changed_at)
    if (!Number.isInteger(unread) || !isVersion(version) || Number.isNaN(time.getTime())) return undefined
    return { unread, version, changed_at: time }
  } catch {
    return undefined
  }
}
