/**
 * Slows down whoever tries keys: an address that sent too many wrong ones in a minute gets 429 without a query. Only for
 * keys that this process has not seen working, because many callers may share an address, behind a proxy or at home.
 * Each process counts for itself: guessing is hopeless anyway, what matters is that it costs little and is noticed.
 */
import { createHash } from 'node:crypto'
import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { createWrongTries, dropOldest, networkOf } from '../limits/wrong-tries.ts'
import { raiseSystemEvent } from '../system-events/system-events.ts'
import type { KeyDirectory } from './api-keys.ts'

/** A directory that knows where keys come from. */
export interface GuardedKeys {
  authenticate(key: string, address: string): Promise<Principal | undefined>
  forget: KeyDirectory['forget']
}

export interface KeyGuardOptions {
  perMinute: number
  /** A clock in ms from any start. */
  now: () => number
  onWrongKey: (answer: 'refused' | 'throttled') => void
  /** Once per address and minute. */
  onThrottled: (address: string, wrongKeys: number) => void
}

const MINUTE_MS = 60_000

export function guardKeys(keys: KeyDirectory, options: KeyGuardOptions): GuardedKeys {
  const { perMinute, now, onWrongKey, onThrottled } = options
  const tries = createWrongTries({ most: perMinute, windowMs: MINUTE_MS, now })
  const worked = new Set<string>()

  function refuseThrottled(from: string, mark: string): void {
    const seconds = tries.secondsToWait(from)
    if (seconds === undefined || worked.has(mark)) return
    onWrongKey('throttled')
    const detail = `Too many wrong API keys came from your address; try again in ${seconds} seconds.`
    throw new Refusal('rate_limited', detail, undefined, seconds)
  }

  function countWrong(from: string): void {
    onWrongKey('refused')
    const wrong = tries.count(from)
    if (wrong === perMinute) onThrottled(from, wrong)
  }

  return {
    async authenticate(key, address) {
      const from = networkOf(address)
      const mark = createHash('sha256').update(key).digest('base64')
      refuseThrottled(from, mark)
      const principal = await keys.authenticate(key)
      if (principal === undefined) {
        worked.delete(mark)
        countWrong(from)
      } else if (!worked.has(mark)) dropOldest(worked).add(mark)
      return principal
    },
    forget: keys.forget,
  }
}

/** One event for all addresses: whoever has many of them must not fill the list. */
export async function reportWrongKeys(db: Executor, address: string, wrongKeys: number): Promise<void> {
  await raiseSystemEvent(db, {
    tenant_id: null,
    event_type: 'wrong_api_keys',
    severity: 'medium',
    description: 'One address sends many wrong API keys. It has to wait; keys that worked keep working.',
    details: { last_address: address, wrong_keys_in_a_minute: wrongKeys },
  })
}
