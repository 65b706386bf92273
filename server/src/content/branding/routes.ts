/** /v1/branding */
import { Branding, BrandingChanges } from '@carillon/contract'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { changeBranding, getBranding } from './branding.ts'

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
        summary: 'Change the given fields; mails use them within a second',
        body: BrandingChanges,
        response: { 200: Branding },
      },
    },
    async request => {
      const id = request.principal.tenant_id
      const before = (tx: Client) => getBranding(tx, id)
      return audited(pool, request, { type: 'branding', id, before }, tx =>
        changeBranding(tx, id, request.body),
      )
    },
  )
}
