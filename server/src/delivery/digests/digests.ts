/**
 * Digests: what comes for a person within a window goes out as one message. Routes join when they are due, not when they
 * are accepted, so that send_at, cancelling and every gate mean the same with a digest as without, and a caller's long
 * transaction holds up no recipient.
 */
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import {
  closeDigest,
  type DigestRow,
  type DigestWindow,
  type JoinedRow,
  type JoinRequest,
  joinDigests,
  type RouteToJoin,
  selectDigest,
} from './queries.ts'

export type { DigestRow }

export type Joined =
  /** It goes out by itself, as the first of its window. */
  | { kind: 'first' }
  | { kind: 'item'; digestId: string; closesAt: Date | null }
  /** Another worker has taken the route over. */
  | { kind: 'lost' }

export type Closed =
  | { kind: 'message'; payloadJson: string }
  /** Nothing came after the first one, or all of it was cancelled. */
  | { kind: 'empty' }

export interface Digests {
  /** An open digest keeps its closing time, unless this window closes sooner. */
  join(route: RouteToJoin, window: DigestWindow): Promise<Joined>
  close(route: { tenant_id: string; notification_id: string }): Promise<Closed>
}

/** Routes that were claimed together join in one statement. */
export function createDigests(pool: Pool | Client, owner: string): Digests {
  const batcher = createBatcher<JoinRequest, Joined>({
    maxBatch: 500,
    flush: async requests => {
      const byOrd = new Map((await joinDigests(pool, owner, requests)).map(row => [row.ord, row]))
      return requests.map((_, ord) => toJoined(byOrd.get(ord)))
    },
  })
  return {
    join: (route, window) => batcher.add({ route, window }),
    async close({ tenant_id, notification_id }) {
      const closed = await closeDigest(pool, tenant_id, notification_id)
      return closed === undefined || closed.item_count === 0 || closed.payload_json === '{}'
        ? { kind: 'empty' }
        : { kind: 'message', payloadJson: closed.payload_json }
    },
  }
}

export async function findDigest(db: Executor, tenantId: string, id: string): Promise<DigestRow | undefined> {
  return selectDigest(db, tenantId, id)
}

function toJoined(row: JoinedRow | undefined): Joined {
  if (row === undefined) return { kind: 'lost' }
  return row.is_item ? { kind: 'item', digestId: row.digest_id, closesAt: row.closes_at } : { kind: 'first' }
}
