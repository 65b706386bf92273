/** The SQL of webhooks: their settings and health. */
import type { Webhook, WebhookEventType } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

type Settings = Omit<
  Webhook,
  'headers' | 'secret_expires_at' | 'disabled_at' | 'waiting' | 'created_at' | 'updated_at' | 'events'
>

export interface WebhookRow extends Settings {
  tenant_id: string
  events: WebhookEventType[]
  /** Signing secrets and custom headers, encrypted. */
  secrets: string
  disabled_at: Date | null
  created_at: Date
  updated_at: Date
}

const COLUMNS = [
  'url',
  'description',
  'events',
  'notification_types',
  'categories',
  'event_kinds',
  'secrets',
  'payload_mode',
  'format',
  'ordering',
  'batch_size',
  'batch_seconds',
  'is_active',
  'is_paused',
  'disable_after',
  'retry_count',
  'backoff',
  'retry_base_ms',
  'retry_cap_ms',
  'timeout_seconds',
  'rate_limit',
] as const
export type WebhookColumns = Pick<WebhookRow, (typeof COLUMNS)[number]>

const WEBHOOK = `w.tenant_id, w.id, w.user_id, ${COLUMNS.map(name => `w.${name}`).join(', ')}, w.disabled_at,
  w.disabled_reason, w.consecutive_failures, w.created_at, w.updated_at`
const values = (row: WebhookColumns): unknown[] => COLUMNS.map(name => row[name])

export async function insertWebhook(
  db: Executor,
  tenantId: string,
  row: WebhookColumns & { id: string; user_id: string | null },
): Promise<void> {
  await db.query(
    `insert into notification_webhooks (tenant_id, id, user_id, ${COLUMNS.join(', ')})
     values ($1, $2, $3, ${COLUMNS.map((_, i) => `$${i + 4}`).join(', ')})`,
    [tenantId, row.id, row.user_id, ...values(row)],
  )
}

export async function selectWebhook(
  db: Executor,
  tenantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<WebhookRow | undefined> {
  const { rows } = await db.query<WebhookRow>(
    `select ${WEBHOOK} from notification_webhooks w where w.tenant_id = $1 and w.id = $2 ${lock}`,
    [tenantId, id],
  )
  return rows[0]
}

/** With the number of events that wait for it. */
export type WebhookWithWaitingRow = WebhookRow & { waiting: number }

const WEBHOOK_WITH_WAITING = `${WEBHOOK}, (
  select count(*) from outbox o where o.tenant_id = w.tenant_id and o.source_kind = 'webhook' and o.target_id = w.id
)::integer as waiting`

export async function selectWebhookWithWaiting(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<WebhookWithWaitingRow | undefined> {
  const { rows } = await db.query<WebhookWithWaitingRow>(
    `select ${WEBHOOK_WITH_WAITING} from notification_webhooks w where w.tenant_id = $1 and w.id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

/** A statement for each state instead of a parameter: active and inactive ones have indexes of their own. */
const STATE = { active: 'w.is_active', inactive: 'not w.is_active', all: 'true' } as const

/** Oldest first. */
export async function selectWebhooks(
  db: Executor,
  tenantId: string,
  query: {
    user_id?: string | undefined
    state: keyof typeof STATE
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<WebhookWithWaitingRow[]> {
  const { rows } = await db.query<WebhookWithWaitingRow>(
    `select ${WEBHOOK_WITH_WAITING} from notification_webhooks w
     where w.tenant_id = $1 and ${STATE[query.state]} and ($2::text is null or w.user_id = $2)
       and ($3::timestamptz is null or (w.created_at, w.id) > ($3, $4::uuid))
     order by w.created_at, w.id limit $5`,
    [tenantId, query.user_id ?? null, query.after?.[0] ?? null, query.after?.[1] ?? null, query.limit],
  )
  return rows
}

/** A suspended tenant's webhooks wait as if they were paused. */
export type EndpointRow = WebhookRow & { is_suspended: boolean }

/** For sending: endpoints of any tenant. */
export async function selectEndpoints(
  db: Executor,
  wanted: { tenantId: string; id: string }[],
): Promise<EndpointRow[]> {
  const { rows } = await db.query<EndpointRow>(
    `select ${WEBHOOK}, t.suspended_at is not null as is_suspended from unnest($1::uuid[], $2::uuid[]) as k (tenant_id, id)
     join tenants t on t.id = k.tenant_id
     join notification_webhooks w on w.tenant_id = k.tenant_id and w.id = k.id`,
    [wanted.map(key => key.tenantId), wanted.map(key => key.id)],
  )
  return rows
}

/** How long the events of a webhook are kept that is not active any more. */
const KEPT_UNTIL = `now() + interval '7 days'`

/** Activating it also clears why it was disabled. */
export async function updateWebhook(
  tx: Client,
  tenantId: string,
  id: string,
  row: WebhookColumns,
): Promise<void> {
  await tx.query(
    `update notification_webhooks set ${COLUMNS.map((name, i) => `${name} = $${i + 3}`).join(', ')},
       consecutive_failures = case when $${COLUMNS.indexOf('is_active') + 3} and not is_active then 0 else consecutive_failures end,
       disabled_at = case when $${COLUMNS.indexOf('is_active') + 3} then null else disabled_at end,
       disabled_reason = case when $${COLUMNS.indexOf('is_active') + 3} then '' else disabled_reason end,
       keeps_events_until = case when $${COLUMNS.indexOf('is_active') + 3} then null when is_active then ${KEPT_UNTIL}
         else keeps_events_until end,
       updated_at = now()
     where tenant_id = $1 and id = $2`,
    [tenantId, id, ...values(row)],
  )
}

export async function deleteWebhook(db: Executor, tenantId: string, id: string): Promise<void> {
  await db.query('delete from notification_webhooks where tenant_id = $1 and id = $2', [tenantId, id])
}

export interface HealthChange {
  tenant_id: string
  webhook_id: string
  /** Whether any delivery arrived; if so, `failures` counts only those after the last arrival. */
  arrived: boolean
  failures: number
  gone: boolean
}

/** Counts deliveries that failed for good, and disables and returns endpoints that are gone or fail too often. */
export async function updateHealth(tx: Client, changes: HealthChange[]): Promise<WebhookRow[]> {
  const { rows } = await tx.query<WebhookRow>(
    `with change as (
       select * from jsonb_to_recordset($1::jsonb) as c (tenant_id uuid, webhook_id uuid, arrived boolean,
         failures integer, gone boolean)
     ), locked as materialized (
       -- always in the same order, so that two batches wait for each other instead of deadlocking
       select w.tenant_id, w.id, c.gone, c.failures + case when c.arrived then 0 else w.consecutive_failures end as failures
       from notification_webhooks w join change c on c.tenant_id = w.tenant_id and c.webhook_id = w.id
       where c.failures > 0 or c.gone or w.consecutive_failures > 0
       order by w.tenant_id, w.id for no key update of w
     ), counted as (
       update notification_webhooks w set consecutive_failures = l.failures
       from locked l where w.tenant_id = l.tenant_id and w.id = l.id
         and not (w.is_active and (l.gone or l.failures >= coalesce(w.disable_after, 2147483647)))
     )
     update notification_webhooks w set consecutive_failures = l.failures, is_active = false, disabled_at = now(),
       keeps_events_until = ${KEPT_UNTIL},
       disabled_reason = case when l.gone then 'gone' else 'failing' end, updated_at = now()
     from locked l where w.tenant_id = l.tenant_id and w.id = l.id
       and w.is_active and (l.gone or l.failures >= coalesce(w.disable_after, 2147483647))
     returning ${WEBHOOK}`,
    [JSON.stringify(changes)],
  )
  return rows
}

export async function updateSecrets(
  db: Executor,
  tenantId: string,
  id: string,
  secrets: string,
): Promise<void> {
  await db.query(
    'update notification_webhooks set secrets = $3, updated_at = now() where tenant_id = $1 and id = $2',
    [tenantId, id, secrets],
  )
}
