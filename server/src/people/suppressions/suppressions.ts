/** Suppressions, for the rooms that are about to send something. */
import type { Executor } from '../../platform/database/pool.ts'

/**
 * Why the address, in its normal form, gets nothing more on the channel; undefined if it is not suppressed. Whoever is
 * suppressed by number is not reached on WhatsApp either.
 */
export async function findSuppression(
  db: Executor,
  tenantId: string,
  channel: string,
  address: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ reason: string }>(
    `select reason from suppressions where tenant_id = $1 and channel = $2 and address = any ($3::text[]) limit 1`,
    [tenantId, channel, [address.toLowerCase(), address.toLowerCase().replace(/^whatsapp:/, '')]],
  )
  return rows[0]?.reason
}
