/** /v1/visibility-check */
import {
  PutVisibilityCheck,
  VisibilityCheck,
  VisibilityCheckChanges,
  VisibilityCheckInput,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { deleteCheck, selectCheck } from './queries.ts'
import { type CheckParts, putCheck, toCheck } from './visibility-check.ts'

const tags = ['topics']
const path = '/v1/visibility-check'
const type = 'visibility_check'
const missing = () => notFound('visibility check')

export function visibilityRoutes(app: App, pool: Pool, parts: CheckParts): void {
  app.put(
    path,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Let a server of yours say who may see what happens',
        body: VisibilityCheckInput,
        response: { 200: PutVisibilityCheck },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      return audited(pool, request, changeOf(tenant_id), tx => putCheck(tx, parts, tenant_id, request.body))
    },
  )
  app.patch(
    path,
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Change the given fields of the visibility check; another address gets a new secret',
        body: VisibilityCheckChanges,
        response: { 200: PutVisibilityCheck },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      return audited(pool, request, changeOf(tenant_id), async tx => {
        const row = await selectCheck(tx, tenant_id)
        if (row === undefined) throw missing()
        const { url, timeout_ms } = row
        return putCheck(tx, parts, tenant_id, { url, timeout_ms, ...request.body })
      })
    },
  )
  app.get(
    path,
    {
      config: { scope: 'topics:read' },
      schema: { tags, summary: 'The visibility check', response: { 200: VisibilityCheck } },
    },
    async request => {
      const row = await selectCheck(pool, request.principal.tenant_id)
      if (row === undefined) throw missing()
      return toCheck(row)
    },
  )
  app.delete(
    path,
    {
      config: { scope: 'topics:write' },
      schema: { tags, summary: 'Ask nobody any more', response: { 204: z.null() } },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      await audited(pool, request, { type, id: tenant_id, action: 'delete' }, async tx => {
        const row = await deleteCheck(tx, tenant_id)
        if (row === undefined) throw missing()
        return toCheck(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string) {
  const before = async (tx: Client) => {
    const row = await selectCheck(tx, tenantId)
    return row && toCheck(row)
  }
  const after = ({ secret, ...check }: PutVisibilityCheck) => ({ ...check, ...(secret && { secret }) })
  return { type, id: tenantId, before, after }
}
