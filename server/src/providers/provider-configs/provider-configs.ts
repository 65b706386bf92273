/** Provider configurations: checked by the schema of their kind; secrets are encrypted and never shown again. */
import type { NewProvider, Provider, ProviderChanges } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { liftQuarantine } from '../../people/devices/devices.ts'
import { fieldErrors } from '../../platform/calls/field-errors.ts'
import { isPermitted, type Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { seal as sealRow, UnreadableSecret, unseal as unsealRow } from '../../platform/secrets/sealed-rows.ts'
import type { ProviderKind } from '../services/kind.ts'
import { kindNamed } from '../services/kinds.ts'
import { closeBreaker } from './breaker-queries.ts'
import { holdsSomething, refuseOpenDestination, refuseRedirect } from './destination.ts'
import { resolveProblems } from './down.ts'
import { MISSING } from './missing.ts'
import {
  deleteProviderConfig,
  insertProviderConfig,
  type ProviderConfigRow,
  selectHasProvider,
  selectProviderConfig,
  type TenantProviderRow,
  updateProviderConfig,
} from './queries.ts'

/** Whether anything can leave this machine, for any tenant. */
export const hasProvider = (db: Executor): Promise<boolean> => selectHasProvider(db)

export async function createProviderConfig(
  db: Executor,
  keyring: Keyring,
  principal: Principal,
  input: z.output<typeof NewProvider>,
): Promise<string> {
  const kind = findKind(input.kind)
  const tenantId = principal.tenant_id
  refuseOperatorsKind(kind, principal)
  refuseAsking(kind, input.uncertain_policy)
  const id = uuidv7()
  const config = checkPart(kind.config, input.config, 'config')
  const secrets = checkPart(kind.secrets, input.secrets, 'secrets')
  refuseOpenDestination(config, secrets)
  const row = {
    ...input,
    id,
    tenant_id: tenantId,
    channel: chooseChannel(kind, input.channel),
    config,
    secrets: seal(keyring, tenantId, id, secrets),
  }
  await insertProviderConfig(db, row).catch(refuseTakenName)
  await resolveSystemEvents(db, tenantId, MISSING, row.channel)
  return id
}

export async function changeProviderConfig(
  tx: Client,
  keyring: Keyring,
  principal: Principal,
  id: string,
  changes: ProviderChanges,
): Promise<void> {
  const tenantId = principal.tenant_id
  const row = await findOwn(tx, tenantId, id)
  const kind = findKind(row.kind)
  if (changes.config !== undefined) refuseOperatorsKind(kind, principal)
  refuseAsking(kind, changes.uncertain_policy)
  const is_active = changes.is_active ?? row.is_active
  const config = changes.config === undefined ? row.config : checkPart(kind.config, changes.config, 'config')
  const secrets = changes.secrets && checkPart(kind.secrets, changes.secrets, 'secrets')
  if (secrets === undefined) refuseRedirect(row.config, config, unseal(keyring, row) as object)
  else refuseOpenDestination(config, secrets)
  await updateProviderConfig(tx, tenantId, id, {
    config,
    secrets: secrets === undefined ? row.secrets : seal(keyring, tenantId, id, secrets),
    is_active,
    rate_limit: changes.rate_limit === undefined ? row.rate_limit : changes.rate_limit,
    timeout_seconds: changes.timeout_seconds ?? row.timeout_seconds,
    priority: changes.priority ?? row.priority,
    uncertain_policy: changes.uncertain_policy ?? row.uncertain_policy,
  })
  if (is_active) await resolveSystemEvents(tx, tenantId, MISSING, row.channel)
  if (!is_active || changes.config !== undefined || changes.secrets !== undefined) {
    await forgetFailures(tx, row)
    if (kind.devices !== undefined) await liftQuarantine(tx, tenantId, kind.devices)
  }
}

export async function removeProviderConfig(tx: Client, tenantId: string, id: string): Promise<void> {
  const row = await findOwn(tx, tenantId, id)
  await deleteProviderConfig(tx, tenantId, id)
  await resolveSystemEvents(tx, tenantId, MISSING, row.channel)
  await resolveProblems(tx, row)
}

/**
 * The failures were those of other settings, or no longer matter. If the breaker stayed open, it would open no new event
 * when the provider fails again.
 */
async function forgetFailures(tx: Client, row: TenantProviderRow): Promise<void> {
  await closeBreaker(tx, row.id)
  await resolveProblems(tx, row)
}

async function findOwn(tx: Client, tenantId: string, id: string): Promise<TenantProviderRow> {
  const row = await selectProviderConfig(tx, tenantId, id)
  if (row === undefined) throw notFound(`provider ${id}`)
  if (row.tenant_id !== null) return row
  throw new Refusal(
    'read_only',
    `The provider "${row.name}" comes from the environment; it is changed there.`,
  )
}

/** The secrets of a row, for creating the provider. */
export function unseal(
  keyring: Keyring,
  row: Pick<TenantProviderRow, 'tenant_id' | 'id' | 'secrets'>,
): unknown {
  return unsealRow(keyring, 'provider_configs', row)
}

/** Errors may name hosts, which are no business of tenants unless they are those of their own providers. */
const ERROR_OF_OPERATORS = 'Only the operators of this instance see errors of its own providers.'

export function toProvider(
  row: ProviderConfigRow,
  principal: Principal,
  keyring: Keyring,
  publicUrl: string,
): Provider {
  const maySeeError = row.tenant_id !== null || row.breaker_error === '' || isPermitted(principal, 'instance')
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    channel: row.channel,
    config: row.config,
    source: row.tenant_id === null ? 'environment' : 'tenant',
    has_secrets: row.tenant_id === null ? [] : namesOfSecrets(keyring, row),
    is_active: row.is_active,
    rate_limit: row.rate_limit,
    timeout_seconds: row.timeout_seconds,
    priority: row.priority,
    uncertain_policy: row.uncertain_policy,
    breaker: {
      state: row.breaker_state,
      retry_at: row.breaker_retry_at?.toISOString() ?? null,
      last_error: maySeeError ? row.breaker_error : ERROR_OF_OPERATORS,
      changed_at: row.breaker_changed_at?.toISOString() ?? null,
    },
    callback_url: reportsBack(row) && publicUrl !== '' ? callbackUrl(publicUrl, row.id) : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** None if this process cannot open them: the list of providers has to remain readable. */
function namesOfSecrets(keyring: Keyring, row: TenantProviderRow): string[] {
  try {
    const secrets = Object.entries(unseal(keyring, row) as object)
    return secrets.filter(([, secret]) => holdsSomething(secret)).map(([name]) => name)
  } catch (error) {
    if (error instanceof UnreadableSecret) return []
    throw error
  }
}

/** A report concerns one tenant, so providers that serve all of them have no callbacks. */
function reportsBack(row: ProviderConfigRow): boolean {
  return row.tenant_id !== null && kindNamed(row.kind)?.callback !== undefined
}

export function callbackUrl(publicUrl: string, id: string): string {
  return `${publicUrl.replace(/\/$/, '')}/v1/callbacks/${id}`
}

function findKind(name: string): ProviderKind {
  const kind = kindNamed(name)
  if (kind !== undefined) return kind
  throw refuseField('kind', `There is no provider kind "${name}"; GET /v1/provider-kinds lists them.`)
}

/** A kind that connects to any given host would let tenants probe the operator's network. */
function refuseOperatorsKind(kind: ProviderKind, principal: Principal): void {
  if (!kind.operatorOnly || isPermitted(principal, 'instance')) return
  throw new Refusal('forbidden', `${kind.title} may be configured only with the scope "instance".`)
}

/** Accepted for a service that has no answer, the policy would do nothing. */
function refuseAsking(kind: ProviderKind, policy: string | undefined): void {
  if (policy !== 'ask' || kind.canBeAsked) return
  throw refuseField(
    'uncertain_policy',
    `${kind.title} cannot be asked whether it has a message; choose resend or hold.`,
  )
}

function chooseChannel(
  kind: ProviderKind,
  wanted: z.output<typeof NewProvider>['channel'],
): ProviderConfigRow['channel'] {
  const channels = kind.channels.filter(channel => channel !== 'in_app')
  const chosen = wanted ?? kind.usualChannel ?? (channels.length === 1 ? channels[0] : undefined)
  if (chosen === undefined) throw refuseField('channel', `Say which of ${channels.join(', ')} it serves.`)
  if (!channels.includes(chosen))
    throw refuseField('channel', `${kind.title} serves only ${channels.join(', ')}.`)
  return chosen
}

/** Errors name the field and never its value, which may be secret. */
export function checkPart(
  schema: z.ZodType,
  value: unknown,
  part: 'config' | 'secrets',
): Record<string, unknown> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data as Record<string, unknown>
  const errors = fieldErrors(parsed.error, value, schema).map(({ field, message }) => ({
    field: field === 'body' ? part : `${part}.${field}`,
    message,
  }))
  throw new Refusal('invalid_request', `${errors[0]?.field}: ${errors[0]?.message}`, errors)
}

function seal(keyring: Keyring, tenantId: string, id: string, secrets: unknown): string {
  return sealRow(keyring, 'provider_configs', { tenant_id: tenantId, id }, secrets)
}

function refuseTakenName(error: unknown): never {
  if (isDatabaseError(error, 'unique_violation')) {
    throw new Refusal('already_exists', 'Another provider has this name.', [
      { field: 'name', message: 'Taken.' },
    ])
  }
  throw error
}

function refuseField(field: string, message: string): Refusal {
  return new Refusal('invalid_request', `${field}: ${message}`, [{ field, message }])
}
