/** How a tenant's pages look: its name, logo and accent colour. */
import { FIRST_TENANT } from '../../oversight/tenants/tenants.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { brandingVariables, DEFAULT_PRIMARY_COLOR, getBranding } from './branding.ts'
import { readableOn } from './contrast.ts'

export interface PageBrand {
  /** undefined: the first tenant has no name until somebody gives it one. */
  name: string | undefined
  logo_url: string | null
  website_url: string | null
  /** Replaces the accent of the style sheet; '' leaves it. */
  style: string
}

export async function loadPageBrand(db: Executor, tenantId: string): Promise<PageBrand> {
  const branding = await getBranding(db, tenantId)
  const { name, logo_url, website_url, primary_color } = branding
  const isOwnColor = primary_color.toLowerCase() !== DEFAULT_PRIMARY_COLOR
  return {
    name: name === FIRST_TENANT ? undefined : name,
    logo_url,
    website_url,
    style: isOwnColor ? accentStyle(brandingVariables(branding)) : '',
  }
}

/** The colours are made of hexadecimal digits, so that they cannot end the style element. */
function accentStyle(brand: ReturnType<typeof brandingVariables>): string {
  const accent = (color: string, text: string) => `:root { --accent: ${color}; --accent-text: ${text}; }`
  const dark = accent(brand.link_color_dark, brand.on_link_color_dark)
  return `${accent(brand.link_color, readableOn(brand.link_color))}\n@media (prefers-color-scheme: dark) { ${dark} }`
}
