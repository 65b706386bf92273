/** The SQL of expanding large audiences. */
import type { Client } from '../../platform/database/pool.ts'

export interface ExpansionRow {
  tenant_id: string
  notification_id: string
  cursor: string
  audience_kind: string
  topic: string | null
  channel_count: number
  traceparent: string
}

/** Before every tenant's id. */
const FIRST_TENANT = '00000000-0000-0000-0000-000000000000'

/**
 * An expansion nobody else is working on, locked until the transaction ends: of the next tenant after the last one served,
 * critical types first, then those that have not begun, so that a small audience need not wait for a large one's end.
 */
export async function lockNextExpansion(
  tx: Client,
  lastTenant: string = FIRST_TENANT,
): Promise<ExpansionRow | undefined> {
  const { rows } = await tx.query<ExpansionRow>(
    `select e.tenant_id, e.notification_id, e.cursor, r.audience_kind, r.topic, r.traceparent,
       cardinality(r.channels) as channel_count
     from expansions e join records r on r.tenant_id = e.tenant_id and r.notification_id = e.notification_id
     left join notification_types y on y.tenant_id = r.tenant_id and y.name = r.notification_type
     where e.tenant_id > $1 and may_create_routes(e.tenant_id)
     order by e.tenant_id, coalesce(y.critical, false) desc, e.cursor <> '', e.notification_id limit 1
     for update of e skip locked`,
    [lastTenant],
  )
  if (rows[0] === undefined && lastTenant !== FIRST_TENANT) return lockNextExpansion(tx)
  return rows[0]
}

export async function selectExpansion(
  tx: Client,
  tenantId: string,
  notificationId: string,
): Promise<ExpansionRow | undefined> {
  const { rows } = await tx.query<ExpansionRow>(
    `select e.tenant_id, e.notification_id, e.cursor, r.audience_kind, r.topic, r.traceparent,
       cardinality(r.channels) as channel_count
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

export async function moveExpansion(tx: Client, expansion: ExpansionRow, cursor: string): Promise<void> {
  await tx.query('update expansions set cursor = $3 where tenant_id = $1 and notification_id = $2', [
    expansion.tenant_id,
    expansion.notification_id,
    cursor,
  ])
}

export async function finishExpansion(tx: Client, expansion: ExpansionRow): Promise<void> {
  await tx.query(
    `with finished as (
       delete from expansions where tenant_id = $1 and notification_id = $2
     )
     select mark_expanded($1, $2)`,
    [expansion.tenant_id, expansion.notification_id],
  )
}

export async function deleteExpansion(
  tx: Client,
  tenantId: string,
  notificationId: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from expansions where tenant_id = $1 and notification_id = $2',
    [tenantId, notificationId],
  )
  return rowCount === 1
}
