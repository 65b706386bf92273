/**
 * The keys of owners (`admin`) and of the instance (`instance`): only their equals take them away, and one of each kind
 * stays, because without it nobody could make another. One that expires does not count: it will be gone by itself.
 */
import { isPermitted, type Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Client } from '../../platform/database/pool.ts'
import { type LockedKeyRow, lockKeysWith } from './queries.ts'

/** Everybody locks the keys of the instance first, so that nobody waits in a circle. */
const KEPT = [
  [
    'instance',
    'It is the last key with the scope "instance" that does not expire. Create another one first.',
  ],
  ['admin', 'It is the last key of an owner that does not expire. Create another one first.'],
] as const

/** Before keys are revoked or deleted; `isLeaving` says which. Holds the remaining ones until the transaction ends. */
export async function refuseLockOut(
  tx: Client,
  principal: Principal,
  isLeaving: (key: LockedKeyRow) => boolean,
): Promise<void> {
  for (const [scope, lastOne] of KEPT) {
    const keys = await lockKeysWith(tx, scope, principal.tenant_id)
    const leaving = keys.filter(key => key.tenant_id === principal.tenant_id && isLeaving(key))
    if (leaving.length === 0) continue
    if (!isPermitted(principal, scope)) {
      throw new Refusal('forbidden', `Revoking a key with the scope "${scope}" needs this scope.`)
    }
    const isKept = keys.some(key => key.expires_at === null && !leaving.includes(key))
    if (!isKept && leaving.some(key => key.expires_at === null)) throw new Refusal('last_owner', lastOne)
  }
}
