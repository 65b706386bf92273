/** Claims, as workers make them, and leases that run out. */
import type { Channel } from '@carillon/contract'
import { type ClaimedRoute, claimRoutes, findNewLanes } from '../src/delivery/routes/claim.ts'
import type { Pool } from '../src/platform/database/pool.ts'

/** Claims what is due on a channel, as a worker does that knows no lane yet. */
export async function claimDue(
  pool: Pool,
  channel: Channel,
  owner: string,
  free = 100,
): Promise<ClaimedRoute[]> {
  const lanes = (await findNewLanes(pool, [])).filter(lane => lane.channel === channel)
  const demand = lanes.map(lane => ({ ...lane, free, watermark: null }))
  return claimRoutes(pool, demand, 1000, owner, 30)
}

/** A second ago: times are kept to the millisecond, and now() may be rounded into the future of the next statement. */
export async function letLeasesRunOut(pool: Pool): Promise<void> {
  await pool.query(
    `update routes set lease_until = now() - interval '1 second' where lease_owner is not null`,
  )
}
