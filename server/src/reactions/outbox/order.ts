/**
 * First in, first out per target and ordering key. Only the first row of a key can be claimed, and with it the rows that
 * follow: they are dispatched one after the other, without a claim in between. What is due behind a row that waits or is
 * being dispatched is put aside until that row is completed.
 */
import type { Pool } from '../../platform/database/pool.ts'
import type { OutboxRow } from './claim.ts'

const MAX_ROWS = 1000

/** Puts aside rows that are due but not the first of their key. Returns how many. */
export async function putBlockedAside(pool: Pool): Promise<number> {
  for (let moved = 0; ; ) {
    const { rows } = await pool.query<{ moved: number }>({
      name: 'set_outbox_aside',
      text: 'select set_outbox_aside($1) as moved',
      values: [MAX_ROWS],
    })
    moved += rows[0]!.moved
    if (rows[0]!.moved < MAX_ROWS) return moved
  }
}

/** How many rows go out behind the first one without another claim. */
const MAX_FOLLOWERS = 64

/** Claims what follows each first row. Returns the chains, each in order, the first row included. */
export async function claimFollowers(
  pool: Pool,
  claimed: OutboxRow[],
  owner: string,
  leaseSeconds: number,
): Promise<OutboxRow[][]> {
  // Rows that may go out together are merged into one instead.
  const heads = claimed.filter(row => row.ordering_key !== null && row.batch_size === 1)
  if (heads.length === 0) return []
  const { rows } = await pool.query<OutboxRow & { head: string }>({
    name: 'claim_chains',
    text: 'select * from claim_chains($1, $2, $3, $4, $5)',
    values: [heads.map(row => row.tenant_id), heads.map(row => row.id), MAX_FOLLOWERS, owner, leaseSeconds],
  })
  const followersOf = ({ tenant_id, id }: OutboxRow) =>
    rows.filter(row => row.tenant_id === tenant_id && row.head === id).toSorted(bySeq)
  return heads.map(head => [head, ...followersOf(head)]).filter(chain => chain.length > 1)
}

export const bySeq = (a: OutboxRow, b: OutboxRow): number => Number(BigInt(a.seq) - BigInt(b.seq))

export interface Chains {
  add(chain: OutboxRow[]): void
  /** Resolves when the row before it in its chain has been dispatched; to whether that one and those before it arrived. */
  turnOf(row: OutboxRow): Promise<boolean>
  end(row: OutboxRow, hasArrived: boolean): void
}

export function createChains(): Chains {
  const turns = new WeakMap<OutboxRow, Promise<boolean>>()
  const ends = new WeakMap<OutboxRow, (hasArrived: boolean) => void>()
  return {
    add(chain) {
      chain.slice(1).forEach((row, i) => {
        turns.set(row, new Promise(resolve => ends.set(chain[i]!, resolve)))
      })
    },
    turnOf: async row => (await turns.get(row)) ?? true,
    end: (row, hasArrived) => ends.get(row)?.(hasArrived),
  }
}
