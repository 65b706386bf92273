/** /v1/branding */
import { Branding, BrandingChanges } from '@carillon/contract'
import type { Pool } from '../db/pool.ts'
import type { App } from '../http/server.ts'
import { getBranding } from './branding.ts'
import { upsertBranding } from './queries.ts'

const tags = ['branding']

export function brandingRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/branding',
    {
      config: { scope: 'templates:read' },
      schema: { tags, summary: 'Name, logo, colour and footer of mails', response: { 200: Branding } },
    },
    async request => getBranding(pool, request.principal.tenant_id),
  )
  app.patch(
    '/v1/branding',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Change what is given; mails follow within a second',
        body: BrandingChanges,
        response: { 200: Branding },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      await upsertBranding(pool, tenant_id, request.body)
      return getBranding(pool, tenant_id)
    },
  )
}
