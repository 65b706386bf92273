/** Refuses a script that cannot even be read: now, when somebody is there to correct it. */
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'

export async function refuseWrongSyntax(
  sandbox: Sandbox,
  tenantId: string,
  script: { name?: string | undefined; source: string },
): Promise<void> {
  const name = `${script.name ?? 'script'}.js`
  const problem = await sandbox.check(tenantId, name, script.source).catch((error: Error) => {
    throw new Refusal('unavailable', error.message, undefined, 1)
  })
  if (problem === undefined) return
  const { message, line } = problem
  const place = line === null ? 'source' : `source, line ${line}`
  throw new Refusal('invalid_request', `${place}: ${message}`, [
    { field: 'source', message, ...(line !== null && { line }) },
  ])
}
