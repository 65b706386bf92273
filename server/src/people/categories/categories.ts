/** The tenant's categories, for the rooms that show or obey them. */
import type { Executor } from '../../platform/database/pool.ts'
import { type CategoryRow, selectCategories, selectCategory } from './queries.ts'

/** What people can choose about, from the catalog. */
export { type CatalogCategory, selectCatalog as listCatalog } from './queries.ts'

/** Without a row: undefined. */
export function findCategory(
  db: Executor,
  tenantId: string,
  category: string,
): Promise<CategoryRow | undefined> {
  return selectCategory(db, tenantId, category)
}

/** Those that nobody can leave, in the order in which people see them. */
export async function listRequired(db: Executor, tenantId: string): Promise<CategoryRow[]> {
  return (await selectCategories(db, tenantId)).filter(({ required }) => required)
}

/** What people read: its name, else the category itself, order_updates as Order updates. */
export function categoryName({ category, name }: { category: string; name: string }): string {
  const words = category.replace(/[._-]+/g, ' ').trim()
  return name || (words === '' ? category : words[0]!.toUpperCase() + words.slice(1))
}
