/** The SQL of user tokens. Nothing of a token is stored: only what ends those that were made. */
import type { Executor } from '../../platform/database/pool.ts'

export interface Holder {
  tenant_id: string
  user_id: string
}

/** A person who may hold tokens, and what their tenant says about these. */
export interface HolderRow extends Holder {
  epoch: number
  /** Of the person and the tenant, the later one. */
  void_before: Date | null
  /** A token from before it was of somebody else with the same id. */
  created_at: Date
  origins: string[]
  requests_per_minute: number
  quota_requests_per_minute: number | null
  is_storage_full: boolean
  is_suspended: boolean
  suspension_reason: string
}

/** Those of the people who exist, in one statement for all. */
export async function selectHolders(db: Executor, holders: Holder[]): Promise<HolderRow[]> {
  const { rows } = await db.query<HolderRow>(
    `select h.tenant_id, h.user_id, t.user_token_epoch as epoch, u.created_at, t.cors_origins as origins,
       greatest(t.user_tokens_void_before, u.tokens_void_before) as void_before,
       t.user_requests_per_minute as requests_per_minute, t.quota_requests_per_minute, t.suspension_reason,
       t.suspended_at is not null as is_suspended,
       coalesce(t.storage_bytes > t.quota_storage_mb * 1000000::bigint, false) as is_storage_full
     from unnest($1::uuid[], $2::text[]) h (tenant_id, user_id)
     join users u on u.tenant_id = h.tenant_id and u.id = h.user_id
     join tenants t on t.id = h.tenant_id`,
    [holders.map(({ tenant_id }) => tenant_id), holders.map(({ user_id }) => user_id)],
  )
  return rows
}

export interface Issue {
  epoch: number
  issued_at: Date
}

/** What a new token of the person says; undefined if there is nobody. It is always later than what voids others. */
export async function selectIssue(
  db: Executor,
  tenantId: string,
  userId: string,
): Promise<Issue | undefined> {
  const { rows } = await db.query<Issue>(
    `select t.user_token_epoch as epoch, greatest(clock_timestamp()::timestamptz(3), u.created_at,
       greatest(t.user_tokens_void_before, u.tokens_void_before) + interval '1 ms') as issued_at
     from users u join tenants t on t.id = u.tenant_id where u.tenant_id = $1 and u.id = $2`,
    [tenantId, userId],
  )
  return rows[0]
}

export async function voidTokensOfUser(db: Executor, tenantId: string, userId: string): Promise<boolean> {
  const { rows } = await db.query<{ isKnown: boolean }>('select void_user_tokens($1, $2) as "isKnown"', [
    tenantId,
    userId,
  ])
  return rows[0]!.isKnown
}

export async function isOriginOfAny(db: Executor, origin: string): Promise<boolean> {
  const { rows } = await db.query<{ isAllowed: boolean }>(
    'select exists (select from tenants where cors_origins @> array[$1::text]) as "isAllowed"',
    [origin],
  )
  return rows[0]!.isAllowed
}
