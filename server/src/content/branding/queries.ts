/** The SQL of branding. */
import type { Executor } from '../../platform/database/pool.ts'

export interface BrandingRow {
  tenant_name: string
  name: string | null
  logo_url: string | null
  website_url: string | null
  primary_color: string | null
  footer: string | null
  updated_at: Date | null
}

const BRANDING =
  't.name as tenant_name, b.name, b.logo_url, b.website_url, b.primary_color, b.footer, b.updated_at'

export async function selectBranding(db: Executor, tenantId: string): Promise<BrandingRow> {
  const { rows } = await db.query<BrandingRow>(
    `select ${BRANDING} from tenants t left join branding b on b.tenant_id = t.id where t.id = $1`,
    [tenantId],
  )
  return rows[0]!
}

/** Changes the given fields and leaves the others as they are. */
export async function upsertBranding(db: Executor, tenantId: string, changes: object): Promise<void> {
  await db.query(
    `insert into branding (tenant_id, name, logo_url, website_url, primary_color, footer)
     select $1, new.name, new.logo_url, new.website_url, new.primary_color, new.footer
     from jsonb_populate_record((select old from branding old where old.tenant_id = $1), $2::jsonb) new
     on conflict (tenant_id) do update set name = excluded.name, logo_url = excluded.logo_url,
       website_url = excluded.website_url, primary_color = excluded.primary_color, footer = excluded.footer,
       updated_at = now()`,
    [tenantId, JSON.stringify(changes)],
  )
}
