/** Reports about records that are about to go. */
import type { Executor } from '../../platform/database/pool.ts'

export async function forgetReports(
  db: Executor,
  records: { tenant_id: string; notification_id: string }[],
): Promise<void> {
  await db.query(
    `delete from provider_callbacks d using unnest($1::uuid[], $2::uuid[]) as g (tenant_id, notification_id)
     where d.tenant_id = g.tenant_id and d.notification_id = g.notification_id`,
    [records.map(record => record.tenant_id), records.map(record => record.notification_id)],
  )
}
