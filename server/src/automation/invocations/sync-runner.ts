/** Runs http triggers whose caller waits for the script. */
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { SyncRunner } from '../hooks/routes.ts'
import { getRunnable } from '../scripts/scripts.ts'
import { type InvocationParts, runAndWait } from './invocations.ts'

export function createSyncRunner(parts: InvocationParts): SyncRunner {
  return async (trigger, data, { origin, caller }) => {
    const { id: trigger_id, tenant_id, kind, script_id } = trigger
    const script = await getRunnable(parts.pool, tenant_id, script_id)
    if (script === undefined) throw notFound(`script ${script_id}`)
    const row = {
      tenant_id,
      source_kind: kind,
      op: 'request',
      target_id: trigger_id,
      payload: data,
      context: { trigger_id, origin },
    }
    const { timeout_ms } = script.limits
    const done = await runAndWait(parts, row, { id: script_id, timeout_ms }, caller).catch(withoutDetails)
    return { status: 200, headers: {}, body: done.result_json }
  }
}

/** Anybody may call the address: what went wrong inside is for those who may read runs. */
function withoutDetails(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  throw new Refusal(error.code, 'The script gave no answer. Its run says why, to those who may read it.')
}
