/**
 * Over-sending protection for applications: how often was a password reset, a verification mail, a code sent to this
 * address? Whether anybody has the address is never looked up, so the answer cannot tell.
 */
import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { LimitAnswer, LimitCheck } from '@carillon/contract'
import type { z } from 'zod'
import type { LimitStore } from './store.ts'

export interface TryCounter {
  check(tenantId: string, input: z.output<typeof LimitCheck>): Promise<LimitAnswer>
}

const MOST_REMEMBERED = 10_000

export function createTryCounter(options: {
  store: LimitStore
  /** Our own clock for windows, and the one people read. */
  now: () => number
  date: () => number
}): TryCounter {
  const { store, now, date } = options
  /** What was heard last, so that counting goes on when the store has to change. */
  const known = new Map<string, { used: number; until: number }>()

  function remember(name: string, used: number, until: number): void {
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(name, { used, until })
  }

  return {
    async check(tenantId, { key, limit, window_seconds }) {
      const key_hash = createHash('sha256').update(normaliseKey(key)).digest('hex')
      const name = `${tenantId} ${key_hash}`
      const asked = now()
      const heard = known.get(name) ?? { used: 0, until: 0 }
      const { granted, used, reset_ms } = await store.countTry({
        tenant_id: tenantId,
        key_hash,
        window_seconds,
        limit,
        known: { used: heard.used, ms: Math.max(0, heard.until - asked) },
      })
      remember(name, used, asked + reset_ms)
      return {
        allowed: granted === 1,
        limit,
        remaining: Math.max(0, limit - used),
        resets_at: new Date(date() + reset_ms).toISOString(),
      }
    },
  }
}

/** Parts are divided by colons; a part with an @ is an address. */
export function normaliseKey(key: string): string {
  return key
    .split(':')
    .map(part => (part.includes('@') ? normaliseAddress(part) : part.trim()))
    .join(':')
}

/**
 * Spellings of an address that reach the same mailbox are one: case, Unicode forms, the two forms of an international
 * domain, and the tag after a plus. Somebody could otherwise be sent five mails for each.
 */
function normaliseAddress(address: string): string {
  const text = address.trim().normalize('NFKC').toLowerCase()
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1).replace(/\.$/, '')
  const [mailbox = ''] = text.slice(0, at).split('+')
  return `${mailbox}@${domainToASCII(domain) || domain}`
}
