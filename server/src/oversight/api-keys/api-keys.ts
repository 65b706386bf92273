/** API keys: shown once, stored as a hash, looked up on every request. */
import { createHash, randomBytes } from 'node:crypto'
import { type ApiKey, type CreatedApiKey, type NewApiKey, ROLE_SCOPES, type Scope } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { isPermitted, keyOf, mayProduceAs, type Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'
import { cut } from '../../platform/text/cut.ts'
import { raiseSystemEvent } from '../system-events/system-events.ts'
import { refuseLockOut } from './owners.ts'
import {
  type ApiKeyRow,
  deactivateApiKey,
  insertApiKey,
  type RemovedTrigger,
  removeTriggersOf,
  retireApiKey,
  selectApiKey,
  type UsedApiKeyRow,
  useApiKey,
  useApiKeyOfSession,
} from './queries.ts'

/** `limitedAs` is the key whose limits it uses; null: its own. */
export async function createApiKey(
  db: Executor,
  tenantId: string,
  input: NewApiKey,
  limitedAs: string | null = null,
): Promise<CreatedApiKey> {
  // 192 random bits; the prefix lets secret scanners recognise a leaked key.
  const key = `ck_${randomBytes(24).toString('base64url')}`
  try {
    const row = await insertApiKey(db, tenantId, {
      id: uuidv7(),
      user_id: input.user_id ?? null,
      name: input.name,
      hash: hashKey(key),
      hint: `${key.slice(0, 7)}…`,
      scopes: scopesOf(input),
      producers: input.producers ?? null,
      limited_as: limitedAs,
      expires_at: input.expires_at ?? null,
    })
    return { ...toApiKey(row), key }
  } catch (error) {
    if (isDatabaseError(error, 'foreign_key_violation')) {
      throw new Refusal('recipient_not_found', `There is no user "${input.user_id}".`, [
        { field: 'user_id', message: 'Create the user first.' },
      ])
    }
    throw error
  }
}

/** A key that cannot change the limits must not have more of them by creating others. */
export function limitsFor(principal: Principal): string | null {
  if (isPermitted(principal, 'tenant:write')) return null
  return principal.limited_as?.api_key_id ?? keyOf(principal)
}

/** A role is expanded into its scopes here and not stored: what a key may do never changes behind its owner's back. */
function scopesOf({ role, scopes }: NewApiKey): Scope[] | null {
  if (role === undefined) return scopes ?? null
  if (scopes === undefined || scopes === null) return [...ROLE_SCOPES[role]]
  const message = 'Give a role or scopes, not both.'
  throw new Refusal('invalid_request', `role: ${message}`, [{ field: 'role', message }])
}

/** A key can grant at most what it may do itself, and no longer than it lasts itself. */
export function refuseEscalation(principal: Principal, input: NewApiKey): void {
  refusePast(input)
  refuseOutliving(principal, input)
  refuseForeignProducers(principal, input)
  const beyond = (scopesOf(input) ?? []).filter(scope => !isPermitted(principal, scope))
  if (beyond.length === 0) return
  throw new Refusal('forbidden', `Your own key lacks ${beyond.join(', ')}, so it cannot grant this.`, [
    {
      field: input.role === undefined ? 'scopes' : 'role',
      message: input.role === undefined ? `Leave out ${beyond.join(', ')}.` : 'Choose a lesser role.',
    },
  ])
}

function refusePast({ expires_at }: NewApiKey): void {
  if (expires_at === undefined || Date.parse(expires_at) > Date.now()) return
  const message = 'It must be in the future.'
  throw new Refusal('invalid_timestamp', `expires_at: ${message}`, [{ field: 'expires_at', message }])
}

function refuseOutliving({ expires_at }: Principal, input: NewApiKey): void {
  if (expires_at === null) return
  if (input.expires_at !== undefined && Date.parse(input.expires_at) <= expires_at.getTime()) return
  throw new Refusal('forbidden', 'Your own key expires, so it cannot create one that lasts longer.', [
    { field: 'expires_at', message: `At most ${expires_at.toISOString()}.` },
  ])
}

function refuseForeignProducers(principal: Principal, { producers = [] }: NewApiKey): void {
  if (principal.producers !== null && producers.length === 0) {
    const message = `List the producers that it may send as, of ${principal.producers.join(', ')}.`
    throw new Refusal(
      'forbidden',
      'Your own key lists its producers, so it cannot create one that does not.',
      [{ field: 'producers', message }],
    )
  }
  const foreign = producers.find(producer => !mayProduceAs(principal, producer))
  if (foreign === undefined) return
  throw new Refusal('forbidden', `Your own key may not send as "${foreign}", so it cannot grant this.`, [
    { field: 'producers', message: `Leave out "${foreign}".` },
  ])
}

export async function findApiKey(db: Executor, tenantId: string, id: string): Promise<ApiKey | undefined> {
  const row = await selectApiKey(db, tenantId, id)
  return row && toApiKey(row)
}

export interface RevokedApiKey {
  apiKey: ApiKey
  hash: string
  /** They ran as the key, and went with it. */
  removedTriggers: RemovedTrigger[]
}

/**
 * The key stops working once this is committed and its hash is forgotten by the directory. Its triggers are removed only
 * when it is locked: nobody can register another one with it any more.
 */
export async function revokeApiKey(tx: Client, principal: Principal, id: string): Promise<RevokedApiKey> {
  await refuseLockOut(tx, principal, key => key.id === id)
  const revoked = await deactivateApiKey(tx, principal.tenant_id, id)
  if (revoked === undefined) throw notFound(`API key ${id}`)
  const removedTriggers = await removeTriggersOf(tx, principal.tenant_id, id)
  await raiseSystemEvent(tx, {
    tenant_id: principal.tenant_id,
    event_type: 'api_key_revoked',
    severity: 'low',
    description: 'An API key was revoked.',
    details: { api_key_id: id, removed_triggers: removedTriggers.length },
  })
  return { apiKey: toApiKey(revoked), hash: revoked.key_hash, removedTriggers }
}

export interface KeyDirectory {
  authenticate(key: string): Promise<Principal | undefined>
  forget(hash: string): void
}

/**
 * Remembers keys for a second, so that a busy producer does not cost a query per request. A key revoked in another
 * process is refused here at most a second later; a key revoked here, at once.
 */
export function createKeyDirectory(db: Executor, now: () => number, rememberMs = 1000): KeyDirectory {
  const rows = createMemory<UsedApiKeyRow | undefined>({ forMs: rememberMs, now })

  return {
    async authenticate(key) {
      const hash = hashKey(key)
      return principalOf(await rows.get(hash, () => useApiKey(db, hash)), now())
    },
    forget: rows.forget,
  }
}

/** What a session may do with the key that it acts with; undefined once the key is revoked or has expired. */
export async function principalOfKey(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<Principal | undefined> {
  return principalOf(await useApiKeyOfSession(db, tenantId, id), Date.now())
}

function principalOf(row: UsedApiKeyRow | undefined, nowMs: number): Principal | undefined {
  if (row === undefined || (row.expires_at !== null && row.expires_at.getTime() <= nowMs)) return undefined
  if (row.is_suspended) throw suspended(row.suspension_reason)
  const { tenant_id, id: api_key_id, user_id, expires_at } = row
  const { requests_per_minute, notifications_per_day } = row
  return {
    tenant_id,
    api_key_id,
    user_id,
    scopes: row.scopes ?? [],
    producers: row.producers,
    expires_at,
    requests_per_minute,
    notifications_per_day,
    ...(row.limited_as !== null && {
      limited_as: { user_id: row.limited_as_user_id, api_key_id: row.limited_as },
    }),
    quota: {
      requests_per_minute: row.quota_requests_per_minute,
      is_storage_full: row.is_storage_full,
    },
  }
}

/**
 * A key that nobody has, in whose name a member of the tenant acts: limits, triggers and invocations belong to keys. Without
 * scopes, since those of the member's role apply.
 */
export async function createMemberKey(tx: Client, tenantId: string, name: string): Promise<string> {
  return (await createApiKey(tx, tenantId, { name: cut(`account ${name}`, 100), scopes: null })).id
}

/** It stays in the list of keys from then on, as revoked. */
export async function retireMemberKey(tx: Client, tenantId: string, id: string): Promise<void> {
  await retireApiKey(tx, tenantId, id)
  await removeTriggersOf(tx, tenantId, id)
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    user_id: row.user_id,
    scopes: row.scopes as Scope[] | null,
    producers: row.producers,
    limited_as: row.limited_as,
    is_active: row.is_active,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}

export function suspended(reason: string): Refusal {
  const told = 'The operator of this instance has suspended the tenant.'
  return new Refusal('tenant_suspended', reason === '' ? told : `${told} ${reason}`)
}

/** Looking up by hash needs no constant-time comparison: a timing difference reveals nothing about the key. */
function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
