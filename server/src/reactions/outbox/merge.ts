/**
 * Batches: several rows of a target that are sent as one. They become one row in the table before anything is sent, so
 * a repeat has the same id and the same content, whatever happens in between.
 */
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { laneOf, type OutboxRow } from './claim.ts'
import type { OutboxHandler } from './handler.ts'
import { bySeq } from './order.ts'

/** What was sent by itself before stays by itself: its repeat would have another content, and its delivery no row. */
const isMergeable = (row: OutboxRow) => row.batch_size > 1 && row.attempt_count === 1

/** Merges claimed rows that may be sent together into as few as possible; others are returned unchanged. */
export async function mergeBatches(
  pool: Pool,
  owner: string,
  rows: OutboxRow[],
  handlerOf: (row: OutboxRow) => OutboxHandler | undefined,
  onError: (error: unknown) => void,
): Promise<OutboxRow[]> {
  if (!rows.some(isMergeable)) return rows
  const merged = groupByTarget(rows).map(async group => {
    const merge = handlerOf(group[0]!)?.merge
    if (merge === undefined || !isMergeable(group[0]!)) return group
    try {
      return [await mergeGroup(pool, owner, group, merge)]
    } catch (error) {
      // Nothing was changed, so each can be sent by itself.
      onError(error)
      return group
    }
  })
  return (await Promise.all(merged)).flat()
}

/** Groups of at most one batch each, in the order of the queue. A row that cannot be merged is a group of its own. */
function groupByTarget(rows: OutboxRow[]): OutboxRow[][] {
  const groups: OutboxRow[][] = []
  const open = new Map<string, OutboxRow[]>()
  for (const row of rows.toSorted(bySeq)) {
    const key = `${laneOf(row)}/${row.ordering_key ?? ''}`
    const group = isMergeable(row) ? open.get(key) : undefined
    if (group !== undefined && group.length < row.batch_size) group.push(row)
    else {
      const started = [row]
      groups.push(started)
      if (isMergeable(row)) open.set(key, started)
    }
  }
  return groups
}

async function mergeGroup(
  pool: Pool,
  owner: string,
  group: OutboxRow[],
  merge: NonNullable<OutboxHandler['merge']>,
): Promise<OutboxRow> {
  const [head] = group as [OutboxRow]
  return transaction(pool, async tx => {
    const ids = group.map(row => row.id)
    const { rows: more } = await tx.query<OutboxRow>(head.ordering_key === null ? NEXT_DUE : NEXT_IN_ORDER, [
      head.tenant_id,
      head.source_kind,
      head.target_id,
      ids,
      head.batch_size - group.length,
      head.ordering_key,
    ])
    const all = [...group, ...more]
    if (all.length === 1) return head
    const { payload, context } = merge(all)
    await tx.query('delete from outbox where tenant_id = $1 and id = any ($2::uuid[])', [
      head.tenant_id,
      all.slice(1).map(row => row.id),
    ])
    const { rowCount } = await tx.query(
      `update outbox set payload = $5, context = $6, batch_size = 1
       where tenant_id = $1 and id = $2 and lease_owner = $3 and claim_count = $4`,
      [head.tenant_id, head.id, owner, head.claim_count, payload, JSON.stringify(context)],
    )
    if (rowCount === 0) throw new Error('the lease ran out before the batch was merged')
    return { ...head, payload, context, batch_size: 1 }
  })
}

const MERGEABLE = `select * from outbox
  where tenant_id = $1 and source_kind = $2 and target_id = $3 and id <> all ($4::uuid[]) and batch_size > 1
    and lease_owner is null and attempt_count = 0`
const NEXT_DUE = `${MERGEABLE} and ordering_key is null and $6::text is null and next_attempt_at <= now()
  order by next_attempt_at, seq limit $5 for update skip locked`
/** Waits for locked rows instead of skipping them: a skipped event would be sent after later ones. */
const NEXT_IN_ORDER = `${MERGEABLE} and ordering_key = $6 order by seq limit $5 for update`
