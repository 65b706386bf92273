/**
 * Caps per hour, week or category, alone or together with the one of the day: a message counts in all of its periods or in
 * none. Most people have at most a cap per day, which count-sends.ts counts for less.
 */
import type { Cap } from '@carillon/contract'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import type { CountedRoute } from './count-sends.ts'

/** An hour, day or week in which messages are counted: all of a channel (''), or those of a category. */
export interface CountedPeriod {
  per: Cap['per']
  category: string
  /** The local day, the Monday of the local week, or the end of the hour in UTC. */
  period: string
}

export interface CappedPeriod extends CountedPeriod {
  max: number
}

export interface CappedSend {
  route: CountedRoute
  periods: CappedPeriod[]
}

/** Counts a send before it happens; answers which periods are used up, and counts nothing if any is. */
export type CountCappedSend = (route: CountedRoute, periods: CappedPeriod[]) => Promise<number[]>

/** Counted by day and channel alone, where routes without other caps are counted too. */
export const isWholeDay = ({ per, category }: CountedPeriod): boolean => per === 'day' && category === ''

export async function countCappedSends(
  db: Pool | Client,
  owner: string,
  asked: CappedSend[],
): Promise<number[][]> {
  const { rows } = await db.query<{ ord: number; refused: number[] | null }>({
    name: 'count_capped_sends',
    text: 'select ord, refused from count_capped_sends($1, $2)',
    values: [owner, JSON.stringify(asked.map(toAsk))],
  })
  const refused = new Map(rows.map(row => [row.ord, row.refused ?? []]))
  return asked.map((_, ord) => refused.get(ord)!)
}

function toAsk({ route, periods }: CappedSend, ord: number): object {
  const { tenant_id, notification_id, route_id, claim_count, user_id, channel } = route
  return { ord, tenant_id, notification_id, route_id, claim_count, user_id, channel, periods }
}

export function createCappedSendCounter(db: Pool | Client, owner: string): CountCappedSend {
  const batcher = createBatcher<CappedSend, number[]>({
    flush: asked => countCappedSends(db, owner, asked),
    maxBatch: 500,
  })
  return (route, periods) => batcher.add({ route, periods })
}
