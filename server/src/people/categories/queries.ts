/** The SQL of categories. */
import type { Category, CategoryInput, Channel } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type CategoryRow = Omit<Category, 'created_at' | 'updated_at'> & {
  created_at: Date
  updated_at: Date
}

const CATEGORY = 'category, name, description, required, position, created_at, updated_at'

export async function upsertCategory(
  db: Executor,
  tenantId: string,
  category: string,
  { name, description, required, position }: Required<CategoryInput>,
): Promise<CategoryRow> {
  const { rows } = await db.query<CategoryRow>(
    `insert into categories (tenant_id, category, name, description, required, position)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, category) do update set name = excluded.name, description = excluded.description,
       required = excluded.required, position = excluded.position, updated_at = now()
     returning ${CATEGORY}`,
    [tenantId, category, name, description, required, position],
  )
  return rows[0]!
}

export async function selectCategory(
  db: Executor,
  tenantId: string,
  category: string,
): Promise<CategoryRow | undefined> {
  const { rows } = await db.query<CategoryRow>(
    `select ${CATEGORY} from categories where tenant_id = $1 and category = $2`,
    [tenantId, category],
  )
  return rows[0]
}

export async function selectCategories(db: Executor, tenantId: string): Promise<CategoryRow[]> {
  const { rows } = await db.query<CategoryRow>(
    `select ${CATEGORY} from categories where tenant_id = $1 order by position, category`,
    [tenantId],
  )
  return rows
}

export async function deleteCategory(
  db: Executor,
  tenantId: string,
  category: string,
): Promise<CategoryRow | undefined> {
  const { rows } = await db.query<CategoryRow>(
    `delete from categories where tenant_id = $1 and category = $2 returning ${CATEGORY}`,
    [tenantId, category],
  )
  return rows[0]
}

export interface CatalogCategory {
  category: string
  /** '' if it was given none. */
  name: string
  description: string
  required: boolean
  channels: Channel[]
}

/** Each category in the catalog, with the channels that its notification types use; those without one have ''. */
export async function selectCatalog(db: Executor, tenantId: string): Promise<CatalogCategory[]> {
  const { rows } = await db.query<CatalogCategory>(
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
