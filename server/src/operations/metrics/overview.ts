/** The overview: the last 24 hours, what is due, stuck or open, and how providers are doing. */
import type { Overview } from '@carillon/contract'
import { countOpenEvents } from '../../oversight/system-events/system-events.ts'
import type { Executor } from '../../platform/database/pool.ts'
import {
  type CountAndOldest,
  countDueRoutes,
  countOpenLetters,
  countStuckRoutes,
  type HourRow,
  selectLastHours,
  selectProviderPerformance,
} from './queries.ts'

/** `wholeInstance`: with the system events that belong to no tenant. */
export async function getOverview(db: Executor, tenantId: string, wholeInstance: boolean): Promise<Overview> {
  const hours = await selectLastHours(db, tenantId)
  const total = (name: keyof Overview['last_24_hours']) => hours.reduce((sum, hour) => sum + hour[name], 0)
  return {
    last_24_hours: {
      sent: total('sent'),
      failed: total('failed'),
      pending: total('pending'),
      skipped: total('skipped'),
      cancelled: total('cancelled'),
      expired: total('expired'),
    },
    hours: hours.map(({ at, sent, failed, pending }) => ({ at: at.toISOString(), sent, failed, pending })),
    counted_at: countedAt(hours),
    stuck: toWire(await countStuckRoutes(db, tenantId)),
    due: toWire(await countDueRoutes(db, tenantId)),
    open_dead_letters: toWire(await countOpenLetters(db, tenantId)),
    open_system_events: await countOpenEvents(db, tenantId, wholeInstance),
    providers: await selectProviderPerformance(db, tenantId),
  }
}

/** The time of the newest counted hour, which is counted most often. */
function countedAt(hours: HourRow[]): string | null {
  return hours.findLast(hour => hour.counted_at !== null)?.counted_at?.toISOString() ?? null
}

function toWire({ count, oldest_at }: CountAndOldest) {
  return { count, oldest_at: oldest_at?.toISOString() ?? null }
}
