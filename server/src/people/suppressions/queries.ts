/** The SQL of suppressions. */
import type { Suppression } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type SuppressionRow = Omit<Suppression, 'created_at'> & { created_at: Date }

const SUPPRESSION = 'channel, address, reason, detail, created_at'
/** However it is written, on whichever channel; as given on those whose addresses have no other form. */
const IS_ADDRESS = `address = any (array[lower($3), lower(normal_address('email', $3)), lower(normal_address('sms', $3))])`

/** An existing suppression keeps its reason: it says since when and why nothing is sent. */
export async function insertSuppression(
  db: Executor,
  tenantId: string,
  suppression: { channel: string; address: string; reason: string; detail: string },
): Promise<SuppressionRow> {
  const { rows } = await db.query<SuppressionRow>(
    `insert into suppressions as s (tenant_id, channel, address, reason, detail) values ($1, $2, lower($3), $4, $5)
     on conflict (tenant_id, channel, address) do update set reason = s.reason
     returning ${SUPPRESSION}`,
    [tenantId, suppression.channel, suppression.address, suppression.reason, suppression.detail],
  )
  return rows[0]!
}

export async function selectSuppressions(
  db: Executor,
  tenantId: string,
  query: {
    channel?: string | undefined
    address?: string | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<SuppressionRow[]> {
  const { rows } = await db.query<SuppressionRow>(
    `select ${SUPPRESSION} from suppressions
     where tenant_id = $1 and ($2::text is null or channel = $2) and ($3::text is null or ${IS_ADDRESS})
       and ($4::timestamptz is null or created_at < $4 or (created_at = $4 and (channel, address) > ($5, $6)))
     order by created_at desc, channel, address limit $7`,
    [
      tenantId,
      query.channel ?? null,
      query.address ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.after?.[2] ?? null,
      query.limit,
    ],
  )
  return rows
}

export async function deleteSuppression(
  db: Executor,
  tenantId: string,
  channel: string,
  address: string,
): Promise<SuppressionRow | undefined> {
  const { rows } = await db.query<SuppressionRow>(
    `delete from suppressions where tenant_id = $1 and channel = $2 and ${IS_ADDRESS} returning ${SUPPRESSION}`,
    [tenantId, channel, address],
  )
  return rows[0]
}
