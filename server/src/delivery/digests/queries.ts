/** The SQL of digests; the rules are in server/functions/digests/join_digests.sql and close_digest.sql. */
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'

/** A claimed route that becomes an item of a digest. */
export interface RouteToJoin {
  tenant_id: string
  notification_id: string
  route_id: string
  claim_count: number
  notification_type: string
}

/** What a digest is opened with, if none is open yet. */
export interface DigestWindow {
  key: string
  closes: { inSeconds: number } | { at: Date }
  firstAtOnce: boolean
  /** For simulation: when the route would join, if not now. */
  at?: Date | undefined
}

export interface JoinRequest {
  route: RouteToJoin
  window: DigestWindow
}

export interface JoinedRow {
  ord: number
  digest_id: string
  /** false for the route that opened the digest and goes out by itself. */
  is_item: boolean
  /** null if retention has already deleted the digest. */
  closes_at: Date | null
}

export async function joinDigests(
  pool: Pool | Client,
  owner: string,
  requests: JoinRequest[],
): Promise<JoinedRow[]> {
  const toJoin = requests.map(({ route, window: { key, closes, firstAtOnce, at } }, ord) => ({
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
    at,
  }))
  const { rows } = await pool.query<JoinedRow>({
    name: 'join_digests',
    text: 'select * from join_digests($1, $2::jsonb)',
    values: [owner, JSON.stringify(toJoin)],
  })
  return rows
}

/** Closes the digest, if it is open, and answers its payload, which never changes again. */
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
  /** Final once the digest is closed; until then, the number so far. */
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
