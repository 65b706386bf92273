/** The SQL of the type catalog, of watches, and of expanding large audiences. */
import type { NotificationType, NotificationTypeInput, Watch } from '@carillon/contract'
import type { Client, Executor } from '../db/pool.ts'

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

export type WatchRow = Omit<Watch, 'updated_at'> & { updated_at: Date }

const WATCH = 'topic, user_id, level, updated_at'

export async function upsertWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
  level: string,
) {
  const { rows } = await db.query<WatchRow>(
    `insert into watches (tenant_id, topic, user_id, level) values ($1, $2, $3, $4)
     on conflict (tenant_id, topic, user_id) do update set level = excluded.level, updated_at = now()
     returning ${WATCH}`,
    [tenantId, topic, userId, level],
  )
  return rows[0]!
}

export async function selectWatches(
  db: Executor,
  tenantId: string,
  topic: string,
  afterUser: string,
  limit: number,
) {
  const { rows } = await db.query<WatchRow>(
    `select ${WATCH} from watches
     where tenant_id = $1 and topic = $2 and user_id > $3 order by user_id limit $4`,
    [tenantId, topic, afterUser, limit],
  )
  return rows
}

export async function selectWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<WatchRow | undefined> {
  const { rows } = await db.query<WatchRow>(
    `select ${WATCH} from watches where tenant_id = $1 and topic = $2 and user_id = $3`,
    [tenantId, topic, userId],
  )
  return rows[0]
}

export async function deleteWatch(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
): Promise<WatchRow | undefined> {
  const { rows } = await db.query<WatchRow>(
    `delete from watches where tenant_id = $1 and topic = $2 and user_id = $3 returning ${WATCH}`,
    [tenantId, topic, userId],
  )
  return rows[0]
}

export interface ExpansionRow {
  tenant_id: string
  notification_id: string
  cursor: string
  audience_kind: string
  topic: string | null
}

/** The oldest expansion nobody else is working on, locked until the transaction ends. */
export async function lockExpansion(tx: Client): Promise<ExpansionRow | undefined> {
  const { rows } = await tx.query<ExpansionRow>(
    `select e.tenant_id, e.notification_id, e.cursor, r.audience_kind, r.topic
     from expansions e join records r on r.tenant_id = e.tenant_id and r.notification_id = e.notification_id
     order by e.created_at, e.tenant_id, e.notification_id limit 1
     for update of e skip locked`,
  )
  return rows[0]
}

export async function selectExpansion(
  tx: Client,
  tenantId: string,
  notificationId: string,
): Promise<ExpansionRow | undefined> {
  const { rows } = await tx.query<ExpansionRow>(
    `select e.tenant_id, e.notification_id, e.cursor, r.audience_kind, r.topic
     from expansions e join records r on r.tenant_id = e.tenant_id and r.notification_id = e.notification_id
     where e.tenant_id = $1 and e.notification_id = $2`,
    [tenantId, notificationId],
  )
  return rows[0]
}

/** The next user ids of a large audience, in id order after the cursor. */
export async function selectAudienceChunk(
  tx: Client,
  expansion: ExpansionRow,
  limit: number,
): Promise<string[]> {
  const { tenant_id, notification_id, cursor, topic } = expansion
  const sources: Record<string, [string, unknown[]]> = {
    tenant: [
      'select id from users where tenant_id = $1 and id > $2 order by id limit $3',
      [tenant_id, cursor, limit],
    ],
    topic: [
      `select user_id as id from watches where tenant_id = $1 and user_id > $2 and topic = $4 and level = 'all'
       order by user_id limit $3`,
      [tenant_id, cursor, limit, topic],
    ],
    users: [
      `select id from records r, unnest(r.recipients) id where r.tenant_id = $1 and r.notification_id = $4 and id > $2
       order by id limit $3`,
      [tenant_id, cursor, limit, notification_id],
    ],
  }
  const [text, values] = sources[expansion.audience_kind] ?? sources.users!
  const { rows } = await tx.query<{ id: string }>(text, values)
  return rows.map(row => row.id)
}

export async function createRoutes(tx: Client, expansion: ExpansionRow, chunk: string[]): Promise<number> {
  const { rows } = await tx.query<{ created: number }>('select create_routes($1, $2, $3) as created', [
    expansion.tenant_id,
    expansion.notification_id,
    chunk,
  ])
  return rows[0]!.created
}

export async function moveExpansion(tx: Client, expansion: ExpansionRow, cursor: string): Promise<void> {
  await tx.query('update expansions set cursor = $3 where tenant_id = $1 and notification_id = $2', [
    expansion.tenant_id,
    expansion.notification_id,
    cursor,
  ])
}

export async function finishExpansion(tx: Client, expansion: ExpansionRow): Promise<void> {
  await tx.query(
    `with finished as (delete from expansions where tenant_id = $1 and notification_id = $2)
     update records set expanded_at = now(), updated_at = now() where tenant_id = $1 and notification_id = $2`,
    [expansion.tenant_id, expansion.notification_id],
  )
}
