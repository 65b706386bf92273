/** Triggers: reading them, and firing them. Creating and changing them is in registration.ts. */
import { ROLE_SCOPES, type Scope, type Trigger, type TriggerKind } from '@carillon/contract'
import { isPermitted } from '../../platform/calls/principal.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { withActiveTrace } from '../../platform/tracing/active-span.ts'
import { hashToken } from './hook-address.ts'
import {
  type HookRow,
  selectHook,
  selectTrigger,
  selectTriggerOfRun,
  type TriggerOfRunRow,
  type TriggerRow,
} from './queries.ts'

export async function getTrigger(db: Executor, tenantId: string, id: string): Promise<Trigger> {
  const row = await selectTrigger(db, tenantId, id)
  if (row === undefined) throw notFound(`trigger ${id}`)
  return toTrigger(row)
}

export function toTrigger(row: TriggerRow): Trigger {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    script_id: row.script_id,
    config: row.config,
    is_enabled: row.is_enabled,
    dispatch_mode: row.dispatch_mode,
    retry: { max_attempts: row.max_attempts, backoff: row.backoff, base_ms: row.base_ms },
    registrant: {
      user_id: row.registered_by_user,
      api_key_id: row.registered_by_key,
      scopes: row.registered_scopes,
      producers: row.registered_producers,
    },
    ...row.state,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  } as Trigger
}

/** Whom a run of a trigger acts as. */
export interface Registrant {
  user_id: string | null
  /** Set exactly if there is no user. */
  key_id: string | null
  scopes: Scope[]
  /** null = its own. */
  producers: string[] | null
  /** Its key has expired or was revoked; never true of a user. */
  is_key_expired: boolean
}

export interface TriggerOfRun {
  id: string
  tenant_id: string
  name: string
  kind: TriggerKind
  script_id: string
  is_enabled: boolean
  dispatch_mode: 'async' | 'sync'
  registrant: Registrant
}

/** For whoever runs it, also if it has been disabled since it was fired. */
export async function findTrigger(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<TriggerOfRun | undefined> {
  const row = await selectTriggerOfRun(db, tenantId, id)
  if (row === undefined) return undefined
  const { name, kind, script_id, is_enabled, dispatch_mode } = row
  return {
    id,
    tenant_id: tenantId,
    name,
    kind,
    script_id,
    is_enabled,
    dispatch_mode,
    registrant: {
      user_id: row.registered_by_user,
      key_id: row.registered_by_key,
      scopes: scopesNow(row),
      producers: row.registered_producers,
      is_key_expired: row.is_key_expired,
    },
  }
}

/** What its registrant may still do: a member's role may have become a lesser one. */
function scopesNow({ registered_scopes, role }: TriggerOfRunRow): Scope[] {
  // An owner may do everything that anybody may register.
  if (role === null || role === 'owner') return registered_scopes
  return ROLE_SCOPES[role].filter(scope => isPermitted({ scopes: registered_scopes }, scope))
}

/** The address of an enabled http trigger, with what its tenant may do. */
export type Hook = HookRow

export async function findHook(db: Executor, token: string): Promise<Hook | undefined> {
  return selectHook(db, hashToken(token))
}

/** What brought an event about. */
export interface Cause {
  /** How many dispatches led to it; 0 by default. */
  depth?: number
  /** Who caused it, for forensics only: a run acts as whoever registered the trigger. */
  origin?: string
  ordering_key?: string
  delay_ms?: number
  /** What the handler should know besides. */
  context?: Record<string, unknown>
}

export interface Happening {
  kind: Exclude<TriggerKind, 'cron' | 'http'>
  /** What happened to what, in the words of matching_triggers(). */
  subject: Record<string, unknown>
  op: string
  /** JSON text: the `data` of the event that the script sees. */
  payload: string
}

/** Call it in the transaction of the change. Returns how many triggers matched, each of which got a row in the outbox. */
export async function fireTriggers(
  db: Executor,
  tenantId: string,
  { kind, subject, op, payload }: Happening,
  cause: Cause = {},
): Promise<number> {
  const { rows } = await db.query<{ fired: number }>(
    'select fire_triggers($1, $2, $3, $4, $5, $6) as fired',
    [tenantId, kind, JSON.stringify(subject), op, payload, JSON.stringify(traced(cause))],
  )
  return rows[0]!.fired
}

/** So that the run continues the trace of what fired the trigger. */
function traced({ context, ...cause }: Cause): Cause {
  const known = withActiveTrace(context)
  return known === undefined ? cause : { ...cause, context: known }
}

/** Fires one trigger, whatever it matches. Returns the id of its row in the outbox; undefined if it is gone or disabled. */
export async function fireTrigger(
  db: Executor,
  { tenant_id, id }: { tenant_id: string; id: string },
  op: string,
  payload: string,
  cause: Cause = {},
): Promise<string | undefined> {
  const { rows } = await db.query<{ row_id: string | null }>(
    'select fire_trigger($1, $2, $3, $4, $5) as row_id',
    [tenant_id, id, op, payload, JSON.stringify(traced(cause))],
  )
  return rows[0]?.row_id ?? undefined
}
