/** What the producers send, and what must come of it: each plan has its key and the routes it must lead to. */
import type { IntentInput } from '@carillon/sdk'

export type Channel = 'email' | 'in_app' | 'sms' | 'webhook'

export interface Plan {
  key: string
  intent: IntentInput
  /** How many routes on which channel. */
  routes: Partial<Record<Channel, number>>
}

export type Random = () => number

/** The same seed gives the same run of plans, delays and kills (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Planner {
  next(): Plan
  /** For every user of the tenant: too large for the accepting transaction, so it is expanded in chunks. */
  forEverybody(): Plan
}

/** Large enough to be expanded after accepting; kills must hit both kinds of audiences. */
const LARGE_AUDIENCE = 150

export function createPlanner(random: Random, users: string[]): Planner {
  let serial = 0

  function plan(rest: Pick<IntentInput, 'audience' | 'channels'>, routes: Plan['routes']): Plan {
    const key = `intent-${++serial}`
    const payload = { title: `Number ${serial}`, body: `Sent under the key ${key}.`, serial }
    return { key, intent: { notification_type: 'kill_round', payload, ...rest }, routes }
  }

  function some(count: number): string[] {
    const first = Math.floor(random() * (users.length - count))
    return users.slice(first, first + count)
  }

  const toAddresses = (channel: 'email' | 'sms' | 'webhook', addresses: string[]) =>
    plan({ audience: { kind: 'addresses', channel, addresses } }, { [channel]: addresses.length })

  const toUsers = (count: number, ...channels: Channel[]) =>
    plan(
      { audience: { kind: 'users', user_ids: some(count) }, channels },
      Object.fromEntries(channels.map(channel => [channel, count])),
    )

  return {
    next() {
      const dice = random()
      if (dice < 0.4) return toAddresses('email', [`person-${serial}@example.com`])
      if (dice < 0.55)
        return toAddresses('webhook', [`https://a.example/${serial}`, `https://b.example/${serial}`])
      if (dice < 0.68) return toAddresses('sms', ['+4915112345678'])
      if (dice < 0.9) return toUsers(2, 'in_app', 'email')
      if (dice < 0.995) return toUsers(5, 'in_app')
      return toUsers(LARGE_AUDIENCE, 'in_app', 'sms')
    },
    forEverybody: () =>
      plan(
        { audience: { kind: 'tenant' }, channels: ['in_app', 'webhook'] },
        { in_app: users.length, webhook: users.length },
      ),
  }
}
