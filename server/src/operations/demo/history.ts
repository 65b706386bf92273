/** What happened in the last weeks, one notification after another: mostly well, with nights, weekends and one bad hour. */

import { KINDS, type Kind, PEOPLE, type Person } from './cast.ts'
import type { Chance } from './chance.ts'

export interface Happening {
  at: number
  number: number
  kind: Kind
  people: Person[]
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Shares of a day's notifications, by the hour. */
const HOURS = [1, 1, 1, 1, 1, 2, 3, 5, 8, 10, 10, 9, 8, 9, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
const TOTAL = HOURS.reduce((sum, share) => sum + share, 0)
const WITH_MAIL = KINDS.filter(({ channels }) => channels.includes('email'))

export interface Span {
  days: number
  perDay: number
  now: number
}

/** In order of time. */
export function happenings({ days, perDay, now }: Span, chance: Chance): Happening[] {
  const all: Happening[] = []
  const first = Math.floor((now - days * DAY) / HOUR) * HOUR
  for (let hour = first; hour < now; hour += HOUR) {
    const isWeekend = [0, 6].includes(new Date(hour).getUTCDay())
    const share = (perDay * HOURS[new Date(hour).getUTCHours()]!) / TOTAL
    const usual = Math.round(share * (isWeekend ? 0.55 : 1) * (0.8 + 0.4 * chance.next()))
    const isBad = hour === badHour(now).from
    const count = isBad ? Math.max(usual, FATES.length) : usual
    for (let i = 0; i < count; i++) {
      const kind = pickKind(chance, isBad ? WITH_MAIL : KINDS)
      const people = chance.some(PEOPLE, chance.between(1, kind.people))
      all.push({ at: hour + Math.floor(chance.next() * HOUR), number: 0, kind, people })
    }
  }
  return all
    .filter(({ at }) => at < now - 1_000)
    .sort((a, b) => a.at - b.at)
    .map((happening, i) => ({ ...happening, number: i + 1 }))
}

function pickKind(chance: Chance, kinds: Kind[]): Kind {
  const sum = kinds.reduce((total, { weight }) => total + weight, 0)
  let left = chance.next() * sum
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds[0]!
}

/** What became of the mails of the bad hour, in turn, so that the smallest demo has each of them. */
export const FATES = ['second provider', 'second provider', 'later', 'dead', 'second provider'] as const
export type Fate = (typeof FATES)[number]

export function fateOf({ at, number }: Happening, now: number, place: number): Fate | undefined {
  const { from, to } = badHour(now)
  return at >= from && at < to ? FATES[(number + place) % FATES.length] : undefined
}

/** The hour in which the first mail provider did not answer: yesterday afternoon. */
export function badHour(now: number): { from: number; to: number } {
  const from = Math.floor((now - DAY) / DAY) * DAY + 14 * HOUR
  return { from, to: from + HOUR }
}
