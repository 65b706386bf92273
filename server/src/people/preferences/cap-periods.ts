/** The hour, day or week of a person's own calendar in which a cap counts. Pure. */
import type { Cap } from '@carillon/contract'
import { instantAt, localDay } from '../../platform/time/local-time.ts'
import type { CountedPeriod } from '../caps/count-capped-sends.ts'
import { nextDigestAt } from './digest-times.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export function periodOf(
  { per, category = '' }: Pick<Cap, 'per' | 'category'>,
  zone: string,
  at: number,
): CountedPeriod {
  return { per, category, period: nameOf(per, zone, at) }
}

/** Hours go by their end: when clocks are put back, the same hour comes twice. */
function nameOf(per: Cap['per'], zone: string, at: number): string {
  if (per === 'hour') return new Date(periodEnd(per, zone, at)).toISOString()
  const day = localDay(zone, at)
  return per === 'day' ? day : mondayOf(day)
}

/** When the next period begins. */
export function periodEnd(per: Cap['per'], zone: string, at: number): number {
  switch (per) {
    case 'hour':
      return nextDigestAt({ every: 'hour' }, zone, at)!
    case 'day':
      return nextDigestAt({ every: 'day', at: '00:00' }, zone, at)!
    case 'week':
      return nextDigestAt({ every: 'week', on: 'monday', at: '00:00' }, zone, at)!
  }
}

/** When the period began. */
export function periodStart(per: Cap['per'], zone: string, at: number): number {
  if (per === 'hour') return hourStart(zone, at)
  const day = localDay(zone, at)
  return instantAt(zone, Date.parse(per === 'day' ? day : mondayOf(day)))
}

/** Where clocks change by half an hour, one hour is that much longer. */
function hourStart(zone: string, at: number): number {
  const end = periodEnd('hour', zone, at)
  let start = end - HOUR_MS
  while (periodEnd('hour', zone, start - 1) === end) start -= HOUR_MS / 2
  return start
}

function mondayOf(day: string): string {
  const at = Date.parse(day)
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}
