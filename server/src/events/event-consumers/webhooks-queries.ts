/** The SQL of telling webhooks about events. */
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { LoggedEvent } from './consumer.ts'

export async function hasEventEndpoints(db: Executor, tenantId: string): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>(
    "select exists (select from endpoints_for($1, 'event.emitted', '{}')) as has",
    [tenantId],
  )
  return rows[0]!.has
}

export async function emitToWebhooks(tx: Client, event: LoggedEvent): Promise<void> {
  await tx.query('select emit_domain_event($1, $2, $3)', [
    event.tenant_id,
    event.event_id,
    event.trigger_depth,
  ])
}
