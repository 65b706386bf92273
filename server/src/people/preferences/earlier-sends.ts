/** A cap set at noon applies from midnight, so what was sent earlier that day, uncounted, is counted now. */
import type { Cap, Channel, ChannelPreference } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { isWholeDay } from '../caps/count-capped-sends.ts'
import { type EarlierPeriod, upsertEarlierCapped, upsertEarlierSends } from '../caps/earlier-sends.ts'
import { findUser } from '../users/users.ts'
import { periodOf, periodStart } from './cap-periods.ts'

type CappedChannel = Pick<ChannelPreference, 'frequency_cap' | 'caps' | 'timezone'>

export async function countEarlierSends(
  db: Executor,
  tenantId: string,
  userId: string,
  channels: Partial<Record<Channel, CappedChannel>>,
): Promise<void> {
  const person = await findUser(db, tenantId, userId)
  if (person === undefined) return
  const periods = Object.entries(channels).flatMap(([channel, choice]) =>
    periodsOf(channel as Channel, choice, choice.timezone ?? person.timezone),
  )
  const days = periods.filter(isWholeDay)
  const others = periods.filter(period => !isWholeDay(period))
  if (days.length > 0) await upsertEarlierSends(db, tenantId, userId, days)
  if (others.length > 0) await upsertEarlierCapped(db, tenantId, userId, others)
}

/** Each of them once. */
function periodsOf(channel: Channel, { frequency_cap, caps }: CappedChannel, zone: string): EarlierPeriod[] {
  const counted: Pick<Cap, 'per' | 'category'>[] = caps ?? []
  const hasDay =
    frequency_cap !== null && !counted.some(({ per, category }) => per === 'day' && category === undefined)
  const now = Date.now()
  return (hasDay ? [...counted, { per: 'day' as const }] : counted).map(cap => ({
    ...periodOf(cap, zone, now),
    channel,
    start: new Date(periodStart(cap.per, zone, now)),
  }))
}
