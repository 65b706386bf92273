/** The SQL of the type catalog. */
import type { NotificationType, NotificationTypeInput } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type NotificationTypeRow = Omit<NotificationType, 'created_at' | 'updated_at'> & {
  created_at: Date
  updated_at: Date
}

const TYPE = `name, description, category, producers, audience_kinds, channels, required_fields, admin_emails, critical,
  max_attempts, providers, templates, retry_base_ms, retry_cap_ms, delay, throttle, digest,
  coalesce(escalate, '[]') as escalate, created_at, updated_at`

export async function upsertType(
  db: Executor,
  tenantId: string,
  name: string,
  input: Required<NotificationTypeInput>,
) {
  const { rows } = await db.query<NotificationTypeRow>(
    `insert into notification_types (tenant_id, name, description, category, producers, audience_kinds, channels,
       required_fields, admin_emails, critical, max_attempts, providers, templates, retry_base_ms, retry_cap_ms,
       delay, throttle, digest, escalate)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, nullif($19::jsonb, '[]'))
     on conflict (tenant_id, name) do update set description = excluded.description, category = excluded.category,
       producers = excluded.producers, audience_kinds = excluded.audience_kinds, channels = excluded.channels,
       required_fields = excluded.required_fields, admin_emails = excluded.admin_emails,
       critical = excluded.critical, max_attempts = excluded.max_attempts, providers = excluded.providers,
       templates = excluded.templates, retry_base_ms = excluded.retry_base_ms, retry_cap_ms = excluded.retry_cap_ms,
       delay = excluded.delay, throttle = excluded.throttle, digest = excluded.digest, escalate = excluded.escalate,
       updated_at = now()
     returning ${TYPE}`,
    [
      tenantId,
      name,
      input.description,
      input.category,
      input.producers,
      input.audience_kinds,
      input.channels,
      input.required_fields,
      input.admin_emails,
      input.critical,
      JSON.stringify(input.max_attempts),
      JSON.stringify(input.providers),
      JSON.stringify(input.templates),
      input.retry_base_ms,
      input.retry_cap_ms,
      input.delay,
      input.throttle && JSON.stringify(input.throttle),
      input.digest && JSON.stringify(input.digest),
      JSON.stringify(input.escalate),
    ],
  )
  return rows[0]!
}

export async function selectType(
  db: Executor,
  tenantId: string,
  name: string,
): Promise<NotificationTypeRow | undefined> {
  const { rows } = await db.query<NotificationTypeRow>(
    `select ${TYPE} from notification_types where tenant_id = $1 and name = $2`,
    [tenantId, name],
  )
  return rows[0]
}

export async function selectTypes(db: Executor, tenantId: string): Promise<NotificationTypeRow[]> {
  const { rows } = await db.query<NotificationTypeRow>(
    `select ${TYPE} from notification_types where tenant_id = $1 order by name`,
    [tenantId],
  )
  return rows
}

export async function deleteType(
  db: Executor,
  tenantId: string,
  name: string,
): Promise<NotificationTypeRow | undefined> {
  const { rows } = await db.query<NotificationTypeRow>(
    `delete from notification_types where tenant_id = $1 and name = $2 returning ${TYPE}`,
    [tenantId, name],
  )
  return rows[0]
}
