/** The SQL of the preference page: the person and the catalog. */
import type { Channel } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface PersonRow {
  id: string
  email: string | null
  locale: string
  timezone: string
}

export async function selectPerson(
  db: Executor,
  tenantId: string,
  userId: string,
): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(
    'select id, email, locale, timezone from users where tenant_id = $1 and id = $2',
    [tenantId, userId],
  )
  return rows[0]
}

/** undefined when the tenant is gone, while its links are still in people's mailboxes. */
export async function selectFallbackLocale(db: Executor, tenantId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ fallback_locale: string }>(
    'select fallback_locale from tenants where id = $1',
    [tenantId],
  )
  return rows[0]?.fallback_locale
}

export interface CategoryRow {
  category: string
  /** '' if it was given none. */
  name: string
  description: string
  required: boolean
  channels: Channel[]
}

/** Each category in the catalog, with the channels that its notification types use; those without one have ''. */
export async function selectCategories(db: Executor, tenantId: string): Promise<CategoryRow[]> {
  const { rows } = await db.query<CategoryRow>(
    `select y.category, coalesce(k.name, '') as name, coalesce(k.description, '') as description,
       coalesce(k.required, false) as required, array_agg(distinct c.channel order by c.channel) as channels
     from notification_types y cross join lateral unnest(y.channels) as c (channel)
     left join categories k on k.tenant_id = y.tenant_id and k.category = y.category
     where y.tenant_id = $1
     group by y.category, k.name, k.description, k.required, k.position
     order by coalesce(k.position, 0), y.category`,
    [tenantId],
  )
  return rows
}
