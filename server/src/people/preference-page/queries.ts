/** The SQL of the preference page: the person and the catalog. */
import type { Channel } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface PersonRow {
  id: string
  email: string | null
  timezone: string
  tenant: string
}

export async function selectPerson(
  db: Executor,
  tenantId: string,
  userId: string,
): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(
    `select u.id, u.email, u.timezone, t.name as tenant from users u join tenants t on t.id = u.tenant_id
     where u.tenant_id = $1 and u.id = $2`,
    [tenantId, userId],
  )
  return rows[0]
}

export interface CategoryRow {
  category: string
  channels: Channel[]
}

/** Each category in the catalog, with the channels that its notification types use. */
export async function selectCategories(db: Executor, tenantId: string): Promise<CategoryRow[]> {
  const { rows } = await db.query<CategoryRow>(
    `select y.category, array_agg(distinct c.channel order by c.channel) as channels
     from notification_types y cross join lateral unnest(y.channels) as c (channel)
     where y.tenant_id = $1 and y.category <> '' group by y.category order by y.category`,
    [tenantId],
  )
  return rows
}
