/** The settings of a tenant's visibility check, with its signing secret. */
import { randomBytes } from 'node:crypto'
import type { PutVisibilityCheck, VisibilityCheck, VisibilityCheckInput } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Client } from '../../platform/database/pool.ts'
import type { AddressGuard } from '../../platform/outgoing/address-guard.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { seal, unseal } from '../../platform/secrets/sealed-rows.ts'
import { selectCheck, upsertCheck, type VisibilityCheckRow } from './queries.ts'

const TABLE = 'visibility_checks'

export interface CheckParts {
  keyring: Keyring
  guard: AddressGuard
}

/**
 * Another address gets a new secret, unless one is given: whoever may change the address must not have questions signed
 * with a secret that others trust sent to themselves.
 */
export async function putCheck(
  tx: Client,
  { keyring, guard }: CheckParts,
  tenantId: string,
  { url, timeout_ms, secret: given }: z.output<typeof VisibilityCheckInput>,
): Promise<PutVisibilityCheck> {
  const objection = guard.objectsTo(new URL(url))
  if (objection !== undefined)
    throw new Refusal('invalid_request', `url: ${objection}.`, [{ field: 'url', message: `${objection}.` }])
  const before = await selectCheck(tx, tenantId)
  if (before !== undefined && before.url === url && given === undefined) {
    const row = await upsertCheck(tx, tenantId, { ...before, timeout_ms })
    return { ...toCheck(row), secret: null }
  }
  const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`
  const id = uuidv7()
  const secrets = seal(keyring, TABLE, { tenant_id: tenantId, id }, { signing: secret })
  const row = await upsertCheck(tx, tenantId, { id, url, secrets, timeout_ms })
  return { ...toCheck(row), secret: given === undefined ? secret : null }
}

export function signingSecretOf(keyring: Keyring, row: VisibilityCheckRow): string {
  return (unseal(keyring, TABLE, row) as { signing: string }).signing
}

export function toCheck({ url, timeout_ms, created_at, updated_at }: VisibilityCheckRow): VisibilityCheck {
  return { url, timeout_ms, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
}
