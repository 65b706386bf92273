/** Letters of before 0060_letter_causes learn which provider and template they are about, in batches. */
import type { Pool } from '../../platform/database/pool.ts'

const BATCH_ROWS = 1000

/** Answers how many were changed; none from the second time on. */
export async function nameCauses(pool: Pool): Promise<number> {
  for (let named = 0; ; ) {
    const { rowCount } = await pool.query(NAME_CAUSES, [BATCH_ROWS])
    named += rowCount ?? 0
    if ((rowCount ?? 0) < BATCH_ROWS) return named
  }
}

export const NAME_CAUSES = `update dead_letters d set provider = coalesce(u.provider, ''), template = coalesce(u.template, '')
  from (
    select x.tenant_id, x.id, o.provider, v.name as template
    from (
      select tenant_id, id, notification_id, route_id from dead_letters
      where provider is null order by tenant_id, id limit $1 for update skip locked
    ) x
    left join lateral (
      select provider, template_version_id from routes r
      where r.tenant_id = x.tenant_id and r.notification_id = x.notification_id and r.route_id = x.route_id
      union all
      select provider, template_version_id from routes_archive r
      where r.tenant_id = x.tenant_id and r.notification_id = x.notification_id and r.route_id = x.route_id
      limit 1
    ) o on true
    left join template_versions v on v.tenant_id = x.tenant_id and v.id = o.template_version_id
  ) u
  where d.tenant_id = u.tenant_id and d.id = u.id`
