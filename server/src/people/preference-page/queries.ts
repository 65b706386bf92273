/** The SQL of the preference page: the person and their tenant. */
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
    'select fallback_locale from tenant_settings where tenant_id = $1',
    [tenantId],
  )
  return rows[0]?.fallback_locale
}
