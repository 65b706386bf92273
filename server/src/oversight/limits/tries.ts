/**
 * Protects an application's users from too many messages: how often was a password reset, a verification mail or a code
 * sent to this address? It never looks up whether anybody has the address, so the answer cannot reveal it.
 */
import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { LimitAnswer, LimitCheck } from '@carillon/contract'
import type { z } from 'zod'
import type { LimitStore } from './store.ts'

export interface TryCounter {
  check(tenantId: string, input: z.output<typeof LimitCheck>): Promise<LimitAnswer>
}

const MAX_REMEMBERED = 10_000

export function createTryCounter(options: {
  store: LimitStore
  /** A clock for windows, in ms from any start. */
  now: () => number
  /** The time of day, in ms since 1970. */
  date: () => number
}): TryCounter {
  const { store, now, date } = options
  /** The last known counts, so that counting continues when another store takes over. */
  const known = new Map<string, { used: number; endsAtMs: number }>()

  function remember(name: string, used: number, endsAtMs: number): void {
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(name, { used, endsAtMs })
  }

  return {
    async check(tenantId, { key, limit, window_seconds }) {
      const key_hash = createHash('sha256').update(normaliseKey(key)).digest('hex')
      const name = `${tenantId} ${key_hash}`
      const askedMs = now()
      const last = known.get(name) ?? { used: 0, endsAtMs: 0 }
      const { granted, used, reset_ms } = await store.countTry({
        tenant_id: tenantId,
        key_hash,
        window_seconds,
        limit,
        known: { used: last.used, ms: Math.max(0, last.endsAtMs - askedMs) },
      })
      remember(name, used, askedMs + reset_ms)
      return {
        allowed: granted === 1,
        limit,
        remaining: Math.max(0, limit - used),
        resets_at: new Date(date() + reset_ms).toISOString(),
      }
    },
  }
}

/** A key's parts are separated by colons; a part with an @ is an address. */
export function normaliseKey(key: string): string {
  return key
    .split(':')
    .map(part => (part.includes('@') ? normaliseAddress(part) : part.trim()))
    .join(':')
}

/**
 * Spellings of an address that reach the same mailbox count as one: case, Unicode forms, the two forms of an
 * international domain, and the tag after a plus. Otherwise somebody could be sent five mails for each spelling.
 */
function normaliseAddress(address: string): string {
  const text = address.trim().normalize('NFKC').toLowerCase()
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1).replace(/\.$/, '')
  const [mailbox = ''] = text.slice(0, at).split('+')
  return `${mailbox}@${domainToASCII(domain) || domain}`
}
