/** A tenant's name, colours and footer. */
import type { Branding, BrandingChanges } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

export function createBranding(send: Send) {
  return {
    async get(options?: CallOptions): Promise<Branding> {
      return send({ method: 'GET', path: '/v1/branding', ...options })
    },

    async update(changes: BrandingChanges, options?: CallOptions): Promise<Branding> {
      return send({ method: 'PATCH', path: '/v1/branding', body: changes, ...options })
    },
  }
}
