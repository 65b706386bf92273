/** Due routes and the delivery role that processes them. */
import { startChild } from '../child.ts'
import type { Database } from '../scratch.ts'
import { addDueRoutes, removeRecords, type Tenant, vacuum } from '../tenant.ts'
import type { Queue } from './drains.ts'
import type { Input } from './route-process.ts'

export interface RouteOptions {
  /** What guards the provider; none by default. */
  guards?: Input['guards']
  /** If set, mails get their unsubscribe links. */
  publicUrl?: string
  /** Keeps finished routes beside the due ones; by default they are removed. */
  keepsFinished?: boolean
}

export async function openRoutes(
  { url, pool }: Database,
  { id }: Tenant,
  { guards = 'none', publicUrl = '', keepsFinished = false }: RouteOptions = {},
): Promise<Queue> {
  const input: Input = { databaseUrl: url, tenantId: id, guards, publicUrl }
  return {
    process: await startChild(new URL('./route-process.js', import.meta.url), input),
    async fill(count) {
      if (!keepsFinished) await removeRecords(pool)
      await addDueRoutes(pool, id, count)
      await vacuum(pool)
    },
  }
}
