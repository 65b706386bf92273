/** Due routes and the delivery role that works them off. */
import { startChild } from '../child.ts'
import type { Database } from '../scratch.ts'
import { addDueRoutes, removeRecords, type Tenant, tidy } from '../tenant.ts'
import type { Queue } from './drains.ts'
import type { Input } from './route-process.ts'

export interface RouteOptions {
  /** What stands before the provider; nothing unless told. */
  guards?: Input['guards']
  /** With one, mails get their unsubscribe links. */
  publicUrl?: string
  /** Finished routes stay beside the due ones; removed unless told. */
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
      await tidy(pool)
    },
  }
}
