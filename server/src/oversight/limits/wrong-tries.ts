/**
 * Counts the wrong tries of somebody who is known by a name, such as an address, in windows that begin with the first. Each
 * process counts for itself: guessing is hopeless anyway, what matters is that it costs little.
 */
import ipaddr from 'ipaddr.js'

export interface WrongTries {
  /** How many seconds it has to wait; undefined while it may try. */
  secondsToWait(name: string): number | undefined
  /** Counts one more, and says how many there are. */
  count(name: string): number
  /** It was not wrong after all. */
  giveBack(name: string): void
}

export interface WrongTriesOptions {
  most: number
  windowMs: number
  /** A clock in ms from any start. */
  now: () => number
}

const AT_MOST = 10_000

export function createWrongTries({ most, windowMs, now }: WrongTriesOptions): WrongTries {
  const windows = new Map<string, { wrong: number; endsAtMs: number }>()

  function windowOf(name: string) {
    const known = windows.get(name)
    if (known !== undefined && known.endsAtMs > now()) return known
    windows.delete(name)
    const window = { wrong: 0, endsAtMs: now() + windowMs }
    return dropOldest(windows).set(name, window).get(name)!
  }

  return {
    secondsToWait(name) {
      const window = windows.get(name)
      if (window === undefined || window.wrong < most || window.endsAtMs <= now()) return undefined
      return Math.ceil((window.endsAtMs - now()) / 1000)
    },
    count: name => ++windowOf(name).wrong,
    giveBack(name) {
      const window = windows.get(name)
      if (window !== undefined && window.wrong > 0) window.wrong--
    },
  }
}

/** IPv6 by its /64, which one customer has as a whole. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (!ipaddr.isValid(plain)) return address
  const parsed = ipaddr.process(plain)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`)
  return `${network.toString()}/64`
}

export function dropOldest<Kept extends Map<string, unknown> | Set<string>>(kept: Kept): Kept {
  for (const oldest of kept.keys()) {
    if (kept.size < AT_MOST) break
    kept.delete(oldest)
  }
  return kept
}
