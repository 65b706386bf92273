/** The SQL of triggers; what each kind has of its own is in details.ts. */
import type { KeyRole, Scope, TriggerKind, TriggerRetry } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { CONFIG, type Configured, STATE } from './details.ts'

interface TriggerColumns {
  name: string
  script_id: string
  is_enabled: boolean
  dispatch_mode: 'async' | 'sync'
  max_attempts: number
  backoff: TriggerRetry['backoff']
  base_ms: number
  registered_by_user: string | null
  registered_by_key: string | null
  registered_scopes: Scope[]
  registered_producers: string[] | null
}

const COLUMNS = [
  'name',
  'script_id',
  'is_enabled',
  'dispatch_mode',
  'max_attempts',
  'backoff',
  'base_ms',
  'registered_by_user',
  'registered_by_key',
  'registered_scopes',
  'registered_producers',
] as const satisfies (keyof TriggerColumns)[]

export type NewTriggerRow = TriggerColumns & { id: string; tenant_id: string; kind: TriggerKind }

export type TriggerRow = NewTriggerRow &
  Configured & {
    /** Only of kinds that have it. */
    state: { next_run_at?: string | null; last_run_at?: string | null; url_hint?: string }
    created_at: Date
    updated_at: Date
  }

const TRIGGER = `t.tenant_id, t.id, t.kind, ${COLUMNS.map(name => `t.${name}`).join(', ')}, t.created_at, t.updated_at,
  ${CONFIG} as config, ${STATE} as state`

const values = (row: TriggerColumns): unknown[] => COLUMNS.map(name => row[name])

export async function insertTrigger(tx: Client, row: NewTriggerRow): Promise<void> {
  await tx.query(
    `insert into triggers (tenant_id, id, kind, ${COLUMNS.join(', ')})
     values ($1, $2, $3, ${COLUMNS.map((_, i) => `$${i + 4}`).join(', ')})`,
    [row.tenant_id, row.id, row.kind, ...values(row)],
  )
}

export async function updateTrigger(tx: Client, row: NewTriggerRow): Promise<void> {
  await tx.query(
    `update triggers set ${COLUMNS.map((name, i) => `${name} = $${i + 3}`).join(', ')}, updated_at = now()
     where tenant_id = $1 and id = $2`,
    [row.tenant_id, row.id, ...values(row)],
  )
}

export async function deleteTrigger(tx: Client, tenantId: string, id: string): Promise<void> {
  await tx.query('delete from triggers where tenant_id = $1 and id = $2', [tenantId, id])
}

export async function selectTrigger(
  db: Executor,
  tenantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<TriggerRow | undefined> {
  const { rows } = await db.query<TriggerRow>(
    `select ${TRIGGER} from triggers t where t.tenant_id = $1 and t.id = $2 ${lock}`,
    [tenantId, id],
  )
  return rows[0]
}

const SHOWN = { enabled: 't.is_enabled', disabled: 'not t.is_enabled', all: 'true' } as const

/** Newest first. */
export async function selectTriggers(
  db: Executor,
  tenantId: string,
  query: {
    kind?: TriggerKind | undefined
    script_id?: string | undefined
    state: keyof typeof SHOWN
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<TriggerRow[]> {
  const { rows } = await db.query<TriggerRow>(
    `select ${TRIGGER} from triggers t
     where t.tenant_id = $1 and ${SHOWN[query.state]} and ($2::text is null or t.kind = $2)
       and ($3::uuid is null or t.script_id = $3) and ($4::uuid is null or t.id < $4)
     order by t.id desc limit $5`,
    [tenantId, query.kind ?? null, query.script_id ?? null, query.after?.[0] ?? null, query.limit],
  )
  return rows
}

/** With what a run has to know of the key that registered it, which may be a member's. */
export type TriggerOfRunRow = TriggerRow & {
  is_key_expired: boolean
  /** By now, if a member registered it. */
  role: KeyRole | null
}

export async function selectTriggerOfRun(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<TriggerOfRunRow | undefined> {
  const { rows } = await db.query<TriggerOfRunRow>(
    `select ${TRIGGER}, coalesce((
       select not k.is_active or k.expires_at <= now() from api_keys k
       where k.tenant_id = t.tenant_id and k.id = t.registered_by_key
     ), false) as is_key_expired, (
       select m.role from members m where m.tenant_id = t.tenant_id and m.api_key_id = t.registered_by_key
     ) as role
     from triggers t where t.tenant_id = $1 and t.id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

/** An enabled http trigger, with what its tenant may do. */
export interface HookRow {
  tenant_id: string
  trigger_id: string
  methods: string[]
  dispatch_mode: 'async' | 'sync'
  is_suspended: boolean
  is_storage_full: boolean
  quota_requests_per_minute: number | null
}

export async function selectHook(db: Executor, tokenHash: Buffer): Promise<HookRow | undefined> {
  const { rows } = await db.query<HookRow>(
    `select d.tenant_id, d.trigger_id, d.methods, t.dispatch_mode, o.suspended_at is not null as is_suspended,
       coalesce(o.storage_bytes > o.quota_storage_mb * 1000000::bigint, false) as is_storage_full,
       o.quota_requests_per_minute
     from http_trigger_details d
     join triggers t on t.tenant_id = d.tenant_id and t.id = d.trigger_id and t.is_enabled
     join tenants o on o.id = d.tenant_id
     where d.token_hash = $1`,
    [tokenHash],
  )
  return rows[0]
}

export async function selectRetryDefaults(db: Executor, tenantId: string): Promise<TriggerRetry> {
  const { rows } = await db.query<TriggerRetry>(
    `select trigger_max_attempts as max_attempts, trigger_backoff as backoff, trigger_base_ms as base_ms
     from tenant_settings where tenant_id = $1`,
    [tenantId],
  )
  return rows[0]!
}

/**
 * Whether the key still works. Until the transaction ends it cannot be revoked, so that a revocation finds every trigger
 * which the key has registered.
 */
export async function lockWorkingKey(tx: Client, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from api_keys where tenant_id = $1 and id = $2 and is_active and (expires_at is null or expires_at > now())
     for share`,
    [tenantId, id],
  )
  return rowCount === 1
}
