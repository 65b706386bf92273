/** Runs of scripts that change nothing. */
import { ScriptTest, TestScript, TestSource } from '@carillon/contract'
import type { Principal } from '../../platform/calls/principal.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import { getEntry } from '../kv/kv.ts'
import { ScriptParams } from './routes.ts'
import { asIfSavedBy, getRunnable } from './scripts.ts'
import { testScript } from './test-run.ts'

const config = { scope: 'scripts:write', unaudited: 'it changes nothing', whenFull: true } as const
const tags = ['scripts']

export function scriptTestRoutes(app: App, pool: Pool, sandbox: Sandbox): void {
  const partsFor = ({ tenant_id }: Principal) => ({
    sandbox,
    readKv: (collection: string, key: string) => getEntry(pool, tenant_id, collection, key),
  })

  app.post(
    '/v1/scripts/:id/test',
    {
      config,
      schema: {
        tags,
        summary: 'Run a script with a sample event, without effects',
        params: ScriptParams,
        body: TestScript,
        response: { 200: ScriptTest },
      },
    },
    async request => {
      const { principal, params, body } = request
      const saved = await getRunnable(pool, principal.tenant_id, params.id)
      if (saved === undefined) throw notFound(`script ${params.id}`)
      const script =
        body.source === undefined ? saved : asIfSavedBy(principal, { ...saved, source: body.source })
      return testScript(partsFor(principal), principal, script, body)
    },
  )
  app.post(
    '/v1/scripts/test',
    {
      config,
      schema: {
        tags,
        summary: 'Run a script that is not saved with a sample event, without effects',
        body: TestSource,
        response: { 200: ScriptTest },
      },
    },
    async request => {
      const { principal, body } = request
      const { name, source, timeout_ms, cpu_ms, memory_mb } = body
      const limits = { timeout_ms, cpu_ms, memory_mb }
      const script = asIfSavedBy(principal, { script_id: '', name, version: 0, source, limits })
      return testScript(partsFor(principal), principal, script, body)
    },
  )
}
