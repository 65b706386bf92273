/** How the status of a route looks: one mark and one colour per status, the same in every command. */
import { type RecordDetail, ROUTE_STATUSES, type RouteStatus } from '@carillon/contract'
import type { Colors } from './colors.ts'

export type Paint = (text: string) => string

/** Green: went well. Red: needs attention. Yellow: continues by itself. Grey: decided not to send. */
export function statusMark(status: RouteStatus, colors: Colors): { symbol: string; paint: Paint } {
  if (status === 'sent') return { symbol: '✓', paint: colors.green }
  if (status === 'dead' || status === 'expired') return { symbol: '✗', paint: colors.red }
  if (status === 'pending' || status === 'retrying') return { symbol: '↻', paint: colors.yellow }
  return { symbol: '–', paint: colors.dim }
}

/** "2 sent, 1 dead", in the order of a route's life; "none" if there are no routes. */
export function renderCounts(counts: RecordDetail['routes'], colors: Colors): string {
  const parts = ROUTE_STATUSES.filter(status => (counts[status] ?? 0) > 0).map(status =>
    statusMark(status, colors).paint(`${counts[status]} ${status}`),
  )
  return parts.length === 0 ? 'none' : parts.join(', ')
}
