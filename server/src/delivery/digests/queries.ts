/** The SQL of digests; server/functions/digests/join_digests.sql and close_digest.sql have the rules. */
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'

/** A claimed route that is not to go out by itself. */
export interface JoiningRoute {
  tenant_id: string
  notification_id: string
  route_id: string
  claim_count: number
  notification_type: string
}

/** What a digest is opened with. */
export interface Window {
  key: string
  closes: { inSeconds: number } | { at: Date }
  firstAtOnce: boolean
}

export interface Joining {
  route: JoiningRoute
  window: Window
}

export interface JoinedRow {
  ord: number
  digest_id: string
  /** false: it opened the window and goes out itself. */
  is_item: boolean
  /** null when the digest was swept away already. */
  closes_at: Date | null
}

export async function joinDigests(
  pool: Pool | Client,
  owner: string,
  joining: Joining[],
): Promise<JoinedRow[]> {
  const wanted = joining.map(({ route, window: { key, closes, firstAtOnce } }, ord) => ({
    ord,
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    route_id: route.route_id,
    claim_count: route.claim_count,
    notification_type: route.notification_type,
    key,
    window_seconds: 'inSeconds' in closes ? closes.inSeconds : null,
    closes_at: 'at' in closes ? closes.at : null,
    first_at_once: firstAtOnce,
  }))
  const { rows } = await pool.query<JoinedRow>({
    name: 'join_digests',
    text: 'select * from join_digests($1, $2::jsonb)',
    values: [owner, JSON.stringify(wanted)],
  })
  return rows
}

/** What the digest says, from now on for good. */
export async function closeDigest(pool: Pool | Client, tenantId: string, id: string) {
  const { rows } = await pool.query<{ payload_json: string; item_count: number | null }>({
    name: 'close_digest',
    text: 'select * from close_digest($1, $2)',
    values: [tenantId, id],
  })
  return rows[0]
}

export interface DigestRow {
  id: string
  key: string
  first_notification_id: string | null
  created_at: Date
  closes_at: Date
  closed_at: Date | null
  /** Once closed for good; until then, as of now. */
  item_count: number
}

export async function selectDigest(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<DigestRow | undefined> {
  const { rows } = await db.query<DigestRow>(
    `select d.id, d.key, d.first_notification_id, d.created_at, d.closes_at, d.closed_at,
       coalesce(d.item_count, (
         select count(*) from routes r where r.tenant_id = d.tenant_id and r.digest_id = d.id
           and r.notification_id not in (d.id, coalesce(d.first_notification_id, d.id)) and r.status <> 'cancelled'
       ))::integer as item_count
     from digests d where d.tenant_id = $1 and d.id = $2`,
    [tenantId, id],
  )
  return rows[0]
}
