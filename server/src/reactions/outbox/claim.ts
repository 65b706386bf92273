/** Claiming due rows of the outbox, with a lease and an owner; functions/outbox/claim_outbox.sql has the rules. */
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { BackoffShape } from '../../platform/queue/backoff.ts'
import type { LaneDemand } from '../../platform/queue/lanes.ts'

/** A claimed row. */
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
  /** Includes this claim, so the attempt is counted before the handler is called. */
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

/** Each target of a kind has its own lane, so that one that hangs takes no slot from the others. */
export const laneOf = (row: Pick<OutboxRow, 'tenant_id' | 'source_kind' | 'target_id'>): string =>
  `${row.tenant_id}/${row.source_kind}/${row.target_id}`

/** `slotsByKind` lists the kinds that are handled here, and how many rows of a new target may be claimed at once. */
export async function claimRows(
  pool: Pool,
  demand: LaneDemand[],
  slotsByKind: Record<string, number>,
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
      Object.keys(slotsByKind),
      Object.values(slotsByKind),
      limit,
      owner,
      leaseSeconds,
    ],
  })
  return rows
}

/**
 * Keeps rows that are still being handled claimed for the length of another lease. One that is locked is being
 * completed: waiting for it could be a deadlock.
 */
export async function extendLeases(
  pool: Pool,
  rows: Pick<OutboxRow, 'tenant_id' | 'id' | 'claim_count'>[],
  owner: string,
  leaseSeconds: number,
): Promise<void> {
  await pool.query(
    `with claimed as materialized (
       select k.tenant_id, k.id from unnest($1::uuid[], $2::uuid[], $3::integer[]) as k (tenant_id, id, claim_count)
       cross join lateral (
         select from outbox o
         where o.tenant_id = k.tenant_id and o.id = k.id and o.lease_owner = $4 and o.claim_count = k.claim_count
         for update skip locked
       ) o
     )
     update outbox o set lease_until = now() + make_interval(secs => $5)
     from claimed c where o.tenant_id = c.tenant_id and o.id = c.id`,
    [
      rows.map(row => row.tenant_id),
      rows.map(row => row.id),
      rows.map(row => row.claim_count),
      owner,
      leaseSeconds,
    ],
  )
}

/** Keeps others from taking over a row until the transaction ends. Returns false if one has already done so. */
export async function lockClaimed(
  tx: Client,
  row: Pick<OutboxRow, 'tenant_id' | 'id' | 'claim_count'>,
  owner: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from outbox where tenant_id = $1 and id = $2 and lease_owner = $3 and claim_count = $4
     for update`,
    [row.tenant_id, row.id, owner, row.claim_count],
  )
  return rowCount === 1
}

/** For a shutdown that cannot wait any longer: another process can take over before the lease ends. */
export async function releaseLeases(pool: Pool, owner: string): Promise<number> {
  const { rowCount } = await pool.query(
    'update outbox set lease_owner = null, lease_until = null where lease_owner = $1',
    [owner],
  )
  return rowCount ?? 0
}
