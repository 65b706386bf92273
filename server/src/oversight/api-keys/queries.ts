/** The SQL of API keys. */
import type { Scope } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface ApiKeyRow {
  id: string
  tenant_id: string
  user_id: string | null
  name: string
  hint: string
  scopes: Scope[] | null
  producers: string[] | null
  limited_as: string | null
  is_active: boolean
  expires_at: Date | null
  last_used_at: Date | null
  created_at: Date
}

const API_KEY =
  'id, tenant_id, user_id, name, hint, scopes, producers, limited_as, is_active, expires_at, last_used_at, created_at'

export async function insertApiKey(
  db: Executor,
  tenantId: string,
  key: {
    id: string
    user_id: string | null
    name: string
    hash: string
    hint: string
    scopes: Scope[] | null
    producers: string[] | null
    limited_as: string | null
    expires_at: string | null
  },
): Promise<ApiKeyRow> {
  const { rows } = await db.query<ApiKeyRow>(
    `insert into api_keys (id, tenant_id, user_id, name, key_hash, hint, scopes, producers, expires_at, limited_as)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${API_KEY}`,
    [
      ...[key.id, tenantId, key.user_id, key.name, key.hash, key.hint, key.scopes, key.producers],
      ...[key.expires_at, key.limited_as],
    ],
  )
  return rows[0]!
}

/** The key in whose name a member acts: nobody has it, and it ends with the membership. */
const IS_OF_MEMBER = 'exists (select from members m where m.tenant_id = k.tenant_id and m.api_key_id = k.id)'

/** One statement per state: active keys have an index of their own. */
const STATE = { active: 'is_active', revoked: 'not is_active', all: 'true' } as const

export async function selectApiKeys(
  db: Executor,
  tenantId: string,
  query: {
    user_id?: string | undefined
    state: keyof typeof STATE
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<ApiKeyRow[]> {
  // Keys of users are nobody else's.
  const isShown = query.user_id === undefined ? `not ${IS_OF_MEMBER}` : 'true'
  const { rows } = await db.query<ApiKeyRow>(
    `select ${API_KEY} from api_keys k
     where tenant_id = $1 and ${STATE[query.state]} and ${isShown} and ($2::text is null or user_id = $2)
       and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
     order by created_at desc, id desc limit $5`,
    [tenantId, query.user_id ?? null, query.after?.[0] ?? null, query.after?.[1] ?? null, query.limit],
  )
  return rows
}

export async function selectApiKey(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  const { rows } = await db.query<ApiKeyRow>(
    `select ${API_KEY} from api_keys where tenant_id = $1 and id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

export type LockedKeyRow = Pick<ApiKeyRow, 'id' | 'tenant_id' | 'user_id' | 'expires_at'>

const KEYS_WITH = {
  /** Of the whole instance; these have an index of their own. */
  instance: "scopes @> '{instance}' and $1::uuid is not null",
  admin: "tenant_id = $1 and scopes @> '{admin}'",
} as const

/**
 * The working keys that have the scope themselves. They are locked, always in the same order, so that callers who take
 * away each other's key come one after the other; not more than needed, because requests are counted against keys.
 */
export async function lockKeysWith(
  tx: Executor,
  scope: keyof typeof KEYS_WITH,
  tenantId: string,
): Promise<LockedKeyRow[]> {
  const { rows } = await tx.query<LockedKeyRow>(
    `select id, tenant_id, user_id, expires_at from api_keys
     where is_active and ${KEYS_WITH[scope]} and (expires_at is null or expires_at > now())
     order by id for no key update`,
    [tenantId],
  )
  return rows
}

export async function deactivateApiKey(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<(ApiKeyRow & { key_hash: string }) | undefined> {
  const { rows } = await db.query<ApiKeyRow & { key_hash: string }>(
    `update api_keys k set is_active = false where tenant_id = $1 and id = $2 and not ${IS_OF_MEMBER}
     returning ${API_KEY}, key_hash`,
    [tenantId, id],
  )
  return rows[0]
}

export interface RemovedTrigger {
  id: string
  name: string
}

/** Triggers that run as the key itself; those of its user stay. */
export async function removeTriggersOf(
  tx: Executor,
  tenantId: string,
  keyId: string,
): Promise<RemovedTrigger[]> {
  const { rows } = await tx.query<RemovedTrigger>('select id, name from remove_key_triggers($1, $2)', [
    tenantId,
    keyId,
  ])
  return rows
}

/** A key with the limits of its tenant, and what its operator says. */
export type UsedApiKeyRow = ApiKeyRow & {
  quota_requests_per_minute: number | null
  is_storage_full: boolean
  is_suspended: boolean
  suspension_reason: string
  requests_per_minute: number | null
  notifications_per_day: number | null
  /** The user of the key whose limits it uses. */
  limited_as_user_id: string | null
}

/** Whoever presents a key shows its secret; a session knows the key that it acts with. */
export const useApiKey = (db: Executor, hash: string) => useKey(db, 'key_hash = $1', [hash])
export const useApiKeyOfSession = (db: Executor, tenantId: string, id: string) =>
  useKey(db, 'tenant_id = $1 and id = $2', [tenantId, id])

/**
 * Looks up a key and records its use, at most once a minute so that reads stay reads. It also returns the tenant's limits,
 * so that checking them needs no query of its own.
 */
async function useKey(db: Executor, where: string, values: string[]): Promise<UsedApiKeyRow | undefined> {
  const { rows } = await db.query<UsedApiKeyRow>(
    `with found as (
       select ${API_KEY} from api_keys where ${where} and is_active
     ),
     marked_as_used as (
       update api_keys k set last_used_at = now() from found f
       where k.tenant_id = f.tenant_id and k.id = f.id
         and (f.last_used_at is null or f.last_used_at < now() - interval '1 minute')
         and (f.expires_at is null or f.expires_at > now())
     )
     select f.*, l.user_id as limited_as_user_id, t.requests_per_minute, t.notifications_per_day, t.quota_requests_per_minute, t.suspension_reason,
       t.suspended_at is not null as is_suspended,
       coalesce(t.storage_bytes > t.quota_storage_mb * 1000000::bigint, false) as is_storage_full
     from found f join tenants t on t.id = f.tenant_id
     left join api_keys l on l.tenant_id = f.tenant_id and l.id = f.limited_as`,
    values,
  )
  return rows[0]
}

/** Of a member, whose triggers go with it. */
export async function retireApiKey(db: Executor, tenantId: string, id: string): Promise<void> {
  await db.query('update api_keys set is_active = false where tenant_id = $1 and id = $2', [tenantId, id])
}
