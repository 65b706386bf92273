/** Versions of scripts. */
import {
  PageOf,
  PageQuery,
  RollBackScript,
  Script,
  ScriptVersion,
  ScriptVersionDetail,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { selectVersions } from './queries.ts'
import { ScriptParams } from './routes.ts'
import { getScript, getVersion, rollBackScript, toVersion } from './scripts.ts'

const VersionParams = ScriptParams.extend({ version: z.coerce.number().int().min(1).max(1_000_000_000) })
const tags = ['scripts']

export function scriptVersionRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/scripts/:id/versions',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'The newest 100 versions of a script, newest first, without their source',
        params: ScriptParams,
        querystring: PageQuery,
        response: { 200: PageOf(ScriptVersion) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { tenant_id } = request.principal
      const { id } = request.params
      await getScript(pool, tenant_id, id)
      const page = { after: decodeCursor(cursor, ['integer']), limit: limit + 1 }
      const rows = await selectVersions(pool, tenant_id, id, page)
      return toPage(rows, limit, row => [String(row.version)], toVersion)
    },
  )
  app.get(
    '/v1/scripts/:id/versions/:version',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'One version with its source',
        params: VersionParams,
        response: { 200: ScriptVersionDetail },
      },
    },
    async request => getVersion(pool, request.principal.tenant_id, request.params.id, request.params.version),
  )
  app.post(
    '/v1/scripts/:id/rollback',
    {
      config: { scope: 'scripts:write' },
      schema: {
        tags,
        summary: 'Run the source of an older version again, as a new version with your own scopes',
        params: ScriptParams,
        body: RollBackScript,
        response: { 200: Script },
      },
    },
    async request => {
      const { principal, body } = request
      const { id } = request.params
      const before = (tx: Client) => getScript(tx, principal.tenant_id, id)
      return audited(pool, request, { type: 'script', id, before, action: 'rollback' }, tx =>
        rollBackScript(tx, principal, id, body.version),
      )
    },
  )
}
