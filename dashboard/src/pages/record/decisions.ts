/** A decision of the API as a moment of a timeline: its colour says how it went. */
import type { Decision, Explanation, StatusCounts } from '@carillon/contract'
import type { Tone } from '../../ui/status.tsx'

const TONES: Record<string, Tone> = {
  sent: 'ok',
  delivered: 'ok',
  opened: 'ok',
  notified: 'ok',
  done: 'ok',
  replayed: 'info',
  retry: 'info',
  rate_limited: 'warn',
  postponed: 'warn',
  uncertain: 'warn',
  lost: 'warn',
  bounced: 'bad',
  permanent: 'bad',
  config: 'bad',
  dead_lettered: 'bad',
  failed: 'bad',
}

export const toneOf = (decision: string): Tone => TONES[decision] ?? 'idle'

/** The worst first: that is what somebody looks for. */
export const STATUS_ORDER = [
  'dead',
  'retrying',
  'pending',
  'skipped',
  'expired',
  'cancelled',
  'sent',
] as const

export type Counts = (typeof StatusCounts)['_output']

export const countsOf = (counts: Counts): [status: string, count: number][] =>
  STATUS_ORDER.filter(status => (counts[status] ?? 0) > 0).map(status => [status, counts[status]!])

export const isUnderway = (counts: Counts): boolean => (counts.pending ?? 0) + (counts.retrying ?? 0) > 0

/** The number of the attempt that a decision tells of. */
export function attemptOf({ text }: Decision): number | undefined {
  const number = text.match(/^Attempt (\d+):/)?.[1]
  return number === undefined ? undefined : Number(number)
}

type People = Explanation['people']

/** The pages of an explanation go through its messages, so that a person may be on several of them. */
export function mergePeople(pages: Pick<Explanation, 'people'>[]): People {
  const merged = new Map<string, People[number]>()
  for (const person of pages.flatMap(({ people }) => people)) {
    const before = merged.get(person.recipient_ref)
    merged.set(
      person.recipient_ref,
      before ? { ...before, routes: [...before.routes, ...person.routes] } : person,
    )
  }
  return [...merged.values()]
}
