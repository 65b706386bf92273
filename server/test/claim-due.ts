/** Claims what is due on a channel, as a worker does that knows no lane yet. */
import type { Channel } from '@carillon/contract'
import { type ClaimedRoute, claimRoutes, findNewLanes } from '../src/delivery/routes/claim.ts'
import type { Pool } from '../src/platform/database/pool.ts'

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
