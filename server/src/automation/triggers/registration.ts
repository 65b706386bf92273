/**
 * Registering triggers: creating, changing and removing them. A trigger runs as whoever registered it, so whoever changes
 * what it runs, or on what, registers it anew: otherwise one could make another's rights do something else.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type CreatedHttpTrigger,
  type CreatedTrigger,
  type NewTrigger,
  TRIGGER_CONFIGS,
  type Trigger,
  type TriggerChanges,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { checkCron, nextRun } from '../../intake/schedules/next-runs.ts'
import { normalAddress } from '../../people/addresses/addresses.ts'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import { keyOf, type Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client } from '../../platform/database/pool.ts'
import { selectNow, updateNextRun } from './cron-queries.ts'
import { type Configured, insertDetails, updateAddress, updateDetails } from './details.ts'
import { addressOf, newToken, withUrl } from './hook-address.ts'
import {
  deleteTrigger,
  insertTrigger,
  lockWorkingKey,
  type NewTriggerRow,
  selectRetryDefaults,
  selectTrigger,
  type TriggerRow,
  updateTrigger,
} from './queries.ts'
import { getTrigger } from './triggers.ts'

/** `publicUrl` is where this API is reached; '' when it is not public. */
export async function createTrigger(
  tx: Client,
  principal: Principal,
  input: z.output<typeof NewTrigger>,
  publicUrl: string,
): Promise<CreatedTrigger> {
  const { tenant_id } = principal
  const { name, script_id, is_enabled, dispatch_mode, retry, kind } = input
  const row = {
    ...{ id: uuidv7(), tenant_id, kind, name, script_id, is_enabled, dispatch_mode },
    ...(await selectRetryDefaults(tx, tenant_id)),
    ...given(retry),
    ...(await registeredBy(tx, principal)),
  }
  const configured = await normalized(tx, input)
  await insertTrigger(tx, row).catch(refuseMissing(script_id))
  const token = kind === 'http' ? newToken() : undefined
  await insertDetails(tx, row, configured, token === undefined ? undefined : addressOf(token))
  await scheduleNext(tx, row, configured)
  const trigger = await getTrigger(tx, tenant_id, row.id)
  return token === undefined ? (trigger as CreatedTrigger) : withUrl(trigger, token, publicUrl)
}

export async function changeTrigger(
  tx: Client,
  principal: Principal,
  id: string,
  changes: TriggerChanges,
): Promise<Trigger> {
  const { tenant_id } = principal
  const row = await lockTrigger(tx, tenant_id, id)
  const configured = await normalized(tx, withChanges(row, changes.config))
  const { name, script_id, is_enabled, dispatch_mode } = { ...row, ...given(changes) }
  if (dispatch_mode === 'sync' && row.kind !== 'http') throw refuseSync()
  const isSameWork =
    script_id === row.script_id &&
    dispatch_mode === row.dispatch_mode &&
    isDeepStrictEqual(configured.config, row.config)
  const changed = {
    ...row,
    ...{ name, script_id, is_enabled, dispatch_mode },
    ...given(changes.retry),
    ...(!isSameWork && (await registeredBy(tx, principal))),
  }
  await updateTrigger(tx, changed).catch(refuseMissing(script_id))
  await updateDetails(tx, row, configured)
  if (hasOtherTimes(row, configured) || is_enabled !== row.is_enabled)
    await scheduleNext(tx, changed, configured)
  return getTrigger(tx, tenant_id, id)
}

/** Gives an http trigger another address; the old one is unknown at once. */
export async function rotateUrl(
  tx: Client,
  tenantId: string,
  id: string,
  publicUrl: string,
): Promise<CreatedHttpTrigger> {
  const row = await lockTrigger(tx, tenantId, id)
  if (row.kind !== 'http') throw notFound(`address of the trigger ${id}: it is of the kind ${row.kind}`)
  const token = newToken()
  await updateAddress(tx, row, addressOf(token))
  return withUrl(await getTrigger(tx, tenantId, id), token, publicUrl)
}

/** Returns the trigger as it was. What it has fired already becomes dead letters. */
export async function removeTrigger(tx: Client, tenantId: string, id: string): Promise<Trigger> {
  const trigger = await getTrigger(tx, tenantId, id)
  await deleteTrigger(tx, tenantId, id)
  return trigger
}

async function lockTrigger(tx: Client, tenantId: string, id: string): Promise<TriggerRow> {
  const row = await selectTrigger(tx, tenantId, id, 'for update')
  if (row === undefined) throw notFound(`trigger ${id}`)
  return row
}

/** The user of the key, so that a rotated key changes nothing; the key itself only if it has none. */
async function registeredBy(tx: Client, principal: Principal) {
  const { tenant_id, user_id, scopes, producers } = principal
  const api_key_id = keyOf(principal)
  if (!(await lockWorkingKey(tx, tenant_id, api_key_id))) throw keyIsGone()
  return {
    registered_by_user: user_id,
    registered_by_key: user_id === null ? api_key_id : null,
    registered_scopes: scopes,
    registered_producers: producers,
  }
}

/** The stored configuration with the given fields, checked as if all of it had been given. */
function withChanges({ kind, config }: TriggerRow, changes: TriggerChanges['config']): Configured {
  if (changes === undefined) return { kind, config } as Configured
  const body = z.object({ config: TRIGGER_CONFIGS[kind] })
  return { kind, ...parseOrRefuse(body, { config: { ...config, ...changes } }) } as Configured
}

/** A whole address has one form, in which it is compared; the beginning of one has none. */
async function normalized(tx: Client, configured: Configured): Promise<Configured> {
  const { kind, config } = configured
  if (kind !== 'email' || config.address.endsWith('*')) return configured
  const address = await normalAddress(tx, 'email', config.address, 'config.address')
  return { kind, config: { address: address.toLowerCase() } }
}

function hasOtherTimes({ config: before }: TriggerRow, { kind, config }: Configured): boolean {
  if (kind !== 'cron') return false
  const { cron, timezone } = before as typeof config
  return config.cron !== cron || config.timezone !== timezone
}

/** From now on: what was missed while it was disabled is not made up for. */
async function scheduleNext(
  tx: Client,
  row: Pick<NewTriggerRow, 'tenant_id' | 'id' | 'is_enabled'>,
  { kind, config }: Configured,
): Promise<void> {
  if (kind !== 'cron') return
  const now = await selectNow(tx)
  refuseUnreadable(config, now)
  const next = row.is_enabled ? nextRun(config.cron, config.timezone, now) : undefined
  await updateNextRun(tx, row, next ?? null)
}

function refuseUnreadable({ cron, timezone }: { cron: string; timezone: string }, now: Date): void {
  try {
    checkCron(cron, timezone, now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const errors = error.errors?.map(each => ({ ...each, field: `config.${each.field}` }))
    throw new Refusal(error.code, `config.${error.message}`, errors)
  }
}

/** Without the fields that were left out. */
function given<Fields extends object>(
  fields: Fields | undefined,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof Fields]: NonNullable<Fields[Name]> }
}

function refuseMissing(scriptId: string) {
  return (error: unknown): never => {
    if (!isDatabaseError(error, 'foreign_key_violation')) throw error
    if (!error.constraint?.includes('script')) throw keyIsGone()
    throw new Refusal('not_found', `There is no script ${scriptId}.`, [
      { field: 'script_id', message: 'Expected a script of the same tenant.' },
    ])
  }
}

/** It was remembered for a moment; what it registered would outlive it. */
function keyIsGone(): Refusal {
  return new Refusal('unauthenticated', 'The API key is unknown, revoked or expired.')
}

function refuseSync(): Refusal {
  const message = 'Only http triggers can be sync.'
  return new Refusal('invalid_request', `dispatch_mode: ${message}`, [{ field: 'dispatch_mode', message }])
}
