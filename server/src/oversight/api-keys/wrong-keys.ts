/**
 * Slows down whoever tries keys: an address that sent too many wrong ones in a minute gets 429 without a query. Only for
 * keys that this process has not seen working, because many callers may share an address, behind a proxy or at home.
 * Each process counts for itself: guessing is hopeless anyway, what matters is that it costs little and is noticed.
 */
import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
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
const AT_MOST = 10_000

export function guardKeys(keys: KeyDirectory, options: KeyGuardOptions): GuardedKeys {
  const { perMinute, now, onWrongKey, onThrottled } = options
  const windows = new Map<string, { wrong: number; endsAtMs: number }>()
  const worked = new Set<string>()

  function windowOf(address: string) {
    const known = windows.get(address)
    if (known !== undefined && known.endsAtMs > now()) return known
    windows.delete(address)
    const window = { wrong: 0, endsAtMs: now() + MINUTE_MS }
    return dropOldest(windows).set(address, window).get(address)!
  }

  function refuseThrottled(from: string, mark: string): void {
    const window = windows.get(from)
    if (window === undefined || window.wrong < perMinute || window.endsAtMs <= now() || worked.has(mark))
      return
    onWrongKey('throttled')
    const seconds = Math.ceil((window.endsAtMs - now()) / 1000)
    const detail = `Too many wrong API keys came from your address; try again in ${seconds} seconds.`
    throw new Refusal('rate_limited', detail, undefined, seconds)
  }

  function countWrong(from: string): void {
    onWrongKey('refused')
    const window = windowOf(from)
    if (++window.wrong === perMinute) onThrottled(from, window.wrong)
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

/** IPv6 by its /64, which one customer has as a whole. */
function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (!ipaddr.isValid(plain)) return address
  const parsed = ipaddr.process(plain)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`)
  return `${network.toString()}/64`
}

function dropOldest<Kept extends Map<string, unknown> | Set<string>>(kept: Kept): Kept {
  for (const oldest of kept.keys()) {
    if (kept.size < AT_MOST) break
    kept.delete(oldest)
  }
  return kept
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
