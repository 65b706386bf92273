/** The SQL of audit logs. */
import type { AuditLog, AuditLogFilter } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

export type AuditLogRow = Omit<AuditLog, 'created_at'> & { created_at: Date }

/** The values are JSON text, so that they reach the database exactly as they were redacted. */
export type NewAuditLog = Omit<AuditLog, 'created_at' | 'old_values' | 'new_values'> & {
  old_values: string | null
  new_values: string | null
}

/** Allows one change of a resource at a time, so that the old values are those the change really found. */
export async function lockResource(
  tx: Client,
  tenantId: string,
  resourceType: string,
  resourceId: string,
): Promise<void> {
  await tx.query(
    "select pg_advisory_xact_lock(hashtextextended(format('audit %s %s %s', $1::text, $2::text, $3::text), 0))",
    [tenantId, resourceType, resourceId],
  )
}

/** The actor is looked up again: the change may have deleted its own user. */
export async function insertAuditLog(db: Executor, tenantId: string, log: NewAuditLog): Promise<void> {
  await db.query(
    `with actor as (select id from users where tenant_id = $2 and id = $3 for key share)
     insert into audit_logs (id, tenant_id, user_id, api_key_id, action, resource_type, resource_id, ip_address,
       user_agent, request_id, old_values, new_values, account_id, account_email)
     values ($1, $2, (select id from actor), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      log.id,
      tenantId,
      log.user_id,
      log.api_key_id,
      log.action,
      log.resource_type,
      log.resource_id,
      log.ip_address,
      log.user_agent,
      log.request_id,
      log.old_values,
      log.new_values,
      log.account_id,
      log.account_email,
    ],
  )
}

export async function selectAuditLogs(
  db: Executor,
  tenantId: string,
  query: AuditLogFilter & { after: (string | number)[] | undefined; limit: number },
): Promise<AuditLogRow[]> {
  const { rows } = await db.query<AuditLogRow>(
    `select id, user_id, api_key_id, account_id, account_email, action, resource_type, resource_id, host(ip_address) as ip_address, user_agent,
       request_id, old_values, new_values, created_at
     from audit_logs
     where tenant_id = $1 and ($2::text is null or user_id = $2) and ($3::uuid is null or api_key_id = $3)
       and ($4::text is null or action = $4) and ($5::text is null or resource_type = $5)
       and ($6::text is null or resource_id = $6)
       and ($7::timestamptz is null or created_at > $7) and ($8::timestamptz is null or created_at < $8)
       and ($9::timestamptz is null or (created_at, id) < ($9, $10::uuid))
       and ($11::uuid is null or account_id = $11)
     order by created_at desc, id desc limit $12`,
    [
      tenantId,
      query.user_id ?? null,
      query.api_key_id ?? null,
      query.action ?? null,
      query.resource_type ?? null,
      query.resource_id ?? null,
      query.created_after ?? null,
      query.created_before ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.account_id ?? null,
      query.limit,
    ],
  )
  return rows
}
