/** Claiming due rows of the outbox: one statement, and a lease with an owner. functions/claim_outbox.sql has the rules. */
import type { Pool } from '../../platform/database/pool.ts'
import type { BackoffShape } from '../../platform/queue/backoff.ts'
import type { LaneDemand } from '../../platform/queue/lanes.ts'

/** A row in our hands. */
export interface OutboxRow {
  id: string
  seq: string
  tenant_id: string
  source_kind: string
  op: string
  target_id: string
  payload: string
  context: Record<string, unknown>
  ordering_key: string | null
  batch_size: number
  trigger_depth: number
  /** Counted with this claim, so it is durable before the handler is called. */
  attempt_count: number
  max_attempts: number
  backoff: BackoffShape
  base_ms: number
  cap_ms: number
  jitter: number
  /** The fencing token: a completion must present it. */
  claim_count: number
  next_attempt_at: Date
  created_at: Date
}

/** A target of a kind: what hangs there takes no place from the other targets. */
export const laneOf = (row: Pick<OutboxRow, 'tenant_id' | 'source_kind' | 'target_id'>): string =>
  `${row.tenant_id}/${row.source_kind}/${row.target_id}`

/** `places` says which kinds we handle, and how many rows of a target that we do not know yet may be taken at once. */
export async function claimRows(
  pool: Pool,
  demand: LaneDemand[],
  places: Record<string, number>,
  limit: number,
  owner: string,
  leaseSeconds: number,
): Promise<OutboxRow[]> {
  const known = demand.map(entry => entry.lane.split('/'))
  const { rows } = await pool.query<OutboxRow>({
    name: 'claim_outbox',
    text: 'select * from claim_outbox($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    values: [
      known.map(([tenantId]) => tenantId),
      known.map(([, kind]) => kind),
      known.map(([, , target]) => target),
      demand.map(entry => entry.free),
      demand.map(entry => entry.watermark?.toISOString() ?? '-infinity'),
      Object.keys(places),
      Object.values(places),
      limit,
      owner,
      leaseSeconds,
    ],
  })
  return rows
}

/** A sign of life: what is still in our hands stays ours for another lease. */
export async function extendLeases(
  pool: Pool,
  rows: Pick<OutboxRow, 'id' | 'claim_count'>[],
  owner: string,
  leaseSeconds: number,
): Promise<void> {
  await pool.query(
    // What is locked is being completed: waiting for it could be a deadlock.
    `with claimed as materialized (
       select o.id from unnest($1::uuid[], $2::integer[]) as k (id, claim_count)
       cross join lateral (
         select o.id from outbox o
         where o.id = k.id and o.lease_owner = $3 and o.claim_count = k.claim_count
         for update skip locked
       ) o
     )
     update outbox o set lease_until = now() + make_interval(secs => $4) from claimed c where o.id = c.id`,
    [rows.map(row => row.id), rows.map(row => row.claim_count), owner, leaseSeconds],
  )
}

/** On a stop that cannot wait any longer: gives back what is left, so that another worker need not wait for the lease. */
export async function releaseLeases(pool: Pool, owner: string): Promise<number> {
  const { rowCount } = await pool.query(
    'update outbox set lease_owner = null, lease_until = null where lease_owner = $1',
    [owner],
  )
  return rowCount ?? 0
}
