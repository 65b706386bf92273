/** A place in the log for an event that is only simulated. */
import type { Client } from '../../platform/database/pool.ts'

/** Far beyond the end, so that nobody waits for the caller's transaction, which is rolled back. As text: it is large. */
export async function placeForSimulation(tx: Client, tenantId: string, eventId: string): Promise<string> {
  const { rows } = await tx.query<{ place: string }>('select place_simulated_event($1, $2)::text as place', [
    tenantId,
    eventId,
  ])
  return rows[0]!.place
}
