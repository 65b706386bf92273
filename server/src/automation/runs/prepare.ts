/** Finds what a row of the outbox asks for: the script, as whom it runs, and what it sees. */
import type { ScriptEvent, ScriptEventKind } from '@carillon/contract'
import { findApiKey } from '../../oversight/api-keys/api-keys.ts'
import { findUser } from '../../people/users/users.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { OutboxRow } from '../../reactions/outbox/claim.ts'
import { INVOKE_KIND, type Invoker } from '../invocations/invocations.ts'
import { refusalToSee } from '../scripts/calls.ts'
import { authorOf } from '../scripts/execute.ts'
import { getRunnable, type Runnable } from '../scripts/scripts.ts'
import { findTrigger } from '../triggers/triggers.ts'
import { type Actor, actorOf } from './actor.ts'
import { selectTenantState } from './queries.ts'

export interface Prepared {
  kind: 'ready'
  script: Runnable
  trigger: { id: string; name: string } | null
  actor: Actor
  event: ScriptEvent
  mayFetch: boolean
}

export type Preparation =
  | Prepared
  /** The tenant is suspended; what is waiting goes on when it is resumed. */
  | { kind: 'suspended' }
  | { kind: 'missing'; message: string }
  | { kind: 'forbidden'; message: string }

/**
 * A trigger that was disabled meanwhile still runs what had been accepted before: disabling it ends what it listens to, and
 * deleting it ends what is waiting too.
 */
export async function prepare(db: Executor, row: OutboxRow): Promise<Preparation> {
  const tenant = await selectTenantState(db, row.tenant_id)
  if (tenant === undefined) return { kind: 'missing', message: 'The tenant was deleted.' }
  if (tenant.is_suspended) return { kind: 'suspended' }
  const cause = await (row.source_kind === INVOKE_KIND ? findInvocation(db, row) : findFired(db, row))
  if ('kind' in cause) return cause
  const script = await getRunnable(db, row.tenant_id, cause.scriptId)
  if (script === undefined) return { kind: 'missing', message: 'The script was deleted.' }
  const { trigger, actor } = cause
  const refusal = refusalToSee(row.source_kind as ScriptEventKind, [authorOf(script), actor])
  if (refusal !== undefined) return { kind: 'forbidden', message: refusal }
  return { kind: 'ready', script, trigger, actor, event: eventOf(row, trigger), mayFetch: tenant.may_fetch }
}

interface Cause {
  scriptId: string
  trigger: { id: string; name: string } | null
  actor: Actor
}
type Hindrance = Extract<Preparation, { message: string }>

async function findFired(db: Executor, row: OutboxRow): Promise<Cause | Hindrance> {
  const trigger = await findTrigger(db, row.tenant_id, row.target_id)
  if (trigger === undefined) return { kind: 'missing', message: 'The trigger was deleted.' }
  if (trigger.registrant.is_key_expired)
    return { kind: 'forbidden', message: 'The key that registered this trigger has expired.' }
  const { id, name, script_id } = trigger
  const actor = actorOf(`whoever registered the trigger "${name}"`, {
    ...trigger.registrant,
    api_key_id: trigger.registrant.key_id,
  })
  return { scriptId: script_id, trigger: { id, name }, actor }
}

async function findInvocation(db: Executor, row: OutboxRow): Promise<Cause | Hindrance> {
  const invoker = row.context.invoked_by as Invoker
  // Whoever has a user is that user, whatever became of the key.
  if (invoker.user_id === null) {
    if (!(await isUsable(db, row.tenant_id, invoker.api_key_id)))
      return { kind: 'forbidden', message: 'The key that invoked this script was revoked or has expired.' }
  } else if ((await findUser(db, row.tenant_id, invoker.user_id)) === undefined)
    return { kind: 'forbidden', message: 'The user who invoked this script was deleted.' }
  return { scriptId: row.target_id, trigger: null, actor: actorOf('whoever invoked it', invoker) }
}

async function isUsable(db: Executor, tenantId: string, keyId: string): Promise<boolean> {
  const key = await findApiKey(db, tenantId, keyId)
  return key?.is_active === true && (key.expires_at === null || Date.parse(key.expires_at) > Date.now())
}

function eventOf(row: OutboxRow, trigger: Cause['trigger']): ScriptEvent {
  return {
    id: row.id,
    kind: row.source_kind as ScriptEventKind,
    op: row.op,
    at: row.created_at.toISOString(),
    depth: row.trigger_depth,
    trigger,
    data: JSON.parse(row.payload),
  }
}
