/** How a tenant's mails look: name, logo, colours, footer. */
import type { Branding, BrandingChanges } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { readableOn, shadeFor } from './contrast.ts'
import { selectBranding, upsertBranding } from './queries.ts'

/** What templates see as `branding`. */
export interface BrandingVariables {
  name: string
  logo_url: string | null
  website_url: string | null
  primary_color: string
  /** Text on the primary colour. */
  on_primary_color: string
  /** The primary colour for text: shaded until it is readable on white, and on a dark background. */
  link_color: string
  link_color_dark: string
  /** Text on `link_color_dark`. */
  on_link_color_dark: string
  footer: string
}

export const DEFAULT_PRIMARY_COLOR = '#1f5fd6'
/** The backgrounds of the default layout. */
const LIGHT_BACKGROUND = '#ffffff'
const DARK_BACKGROUND = '#1d2026'

export async function getBranding(db: Executor, tenantId: string): Promise<Branding> {
  const row = await selectBranding(db, tenantId)
  return {
    name: row.name ?? row.tenant_name,
    logo_url: row.logo_url,
    website_url: row.website_url,
    primary_color: row.primary_color ?? DEFAULT_PRIMARY_COLOR,
    footer: row.footer ?? '',
    updated_at: row.updated_at?.toISOString() ?? null,
  }
}

export async function changeBranding(
  db: Executor,
  tenantId: string,
  changes: BrandingChanges,
): Promise<Branding> {
  await upsertBranding(db, tenantId, changes)
  return getBranding(db, tenantId)
}

export function brandingVariables(branding: Branding): BrandingVariables {
  const { name, logo_url, website_url, primary_color, footer } = branding
  const link_color_dark = shadeFor(primary_color, DARK_BACKGROUND)
  return {
    name,
    logo_url,
    website_url,
    primary_color,
    on_primary_color: readableOn(primary_color),
    link_color: shadeFor(primary_color, LIGHT_BACKGROUND),
    link_color_dark,
    on_link_color_dark: readableOn(link_color_dark),
    footer,
  }
}
