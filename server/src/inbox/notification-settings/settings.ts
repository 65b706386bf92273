/** Everything that a panel shows in which a person decides what reaches them, in one answer. No HTTP. */
import type { NotificationSettings } from '@carillon/contract'
import { listCatalog } from '../../people/categories/categories.ts'
import { categoryDescription, categoryLabel } from '../../people/preference-page/labels.ts'
import { loadContext } from '../../people/preference-page/page-context.ts'
import { getDefaults, getPreferences } from '../../people/preferences/preferences.ts'
import { findUser, noUser } from '../../people/users/users.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { InboxOwner } from '../notifications/owner.ts'

/** The key that browsers of a tenant subscribe with; null if it sends no web push. */
export type PushKeyOf = (tenantId: string) => Promise<string | null>

/** `languages` are those of the browser, for a person without one. */
export async function readSettings(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  languages: string[],
  pushKeyOf: PushKeyOf,
): Promise<NotificationSettings> {
  const user = await findUser(db, tenantId, userId)
  if (user === undefined) throw noUser(userId)
  const { id, locale, timezone } = user
  const { texts } = await loadContext(db, { tenant_id: tenantId, user_id: userId }, languages)
  const catalog = await listCatalog(db, tenantId)
  return {
    user: { id, locale, timezone },
    channels: [...new Set(catalog.flatMap(({ channels }) => channels))].sort(),
    categories: catalog
      .filter(({ category }) => category !== '')
      .map(row => ({
        ...row,
        name: categoryLabel(texts, row),
        description: categoryDescription(texts, row),
      })),
    preferences: await getPreferences(db, tenantId, userId),
    defaults: await getDefaults(db, tenantId),
    web_push: { public_key: await pushKeyOf(tenantId) },
  }
}
