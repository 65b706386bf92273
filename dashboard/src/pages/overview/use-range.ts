/** The time that the figures and charts are about: a name such as 24h, or a range that was dragged. It stands in the address. */
import type { MetricSeriesQuery } from '@carillon/contract'
import { useFilters } from '../../ui/use-filters.ts'

const HOUR = 3_600_000
export const RANGES = {
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR, step: 'hour' },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR, step: 'hour' },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR, step: 'day' },
  '90d': { label: 'Last 90 days', ms: 90 * 24 * HOUR, step: 'day' },
} as const
export type RangeName = keyof typeof RANGES

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

export interface Range {
  /** undefined: a range that was dragged. */
  name: RangeName | undefined
  from: string | undefined
  to: string | undefined
  isDefault: boolean
  /** What to ask for now; a named range ends now. */
  query(): Pick<MetricSeriesQuery, 'from' | 'to' | 'step' | 'zone'>
  choose(name: RangeName): void
  brush(from: Date, to: Date): void
}

export function useRange(): Range {
  const { values, set } = useFilters(['range', 'from', 'to'])
  const { from, to } = values
  // An address can be typed: what is no time, or ends before it begins, is no range.
  const isDragged = from !== undefined && to !== undefined && Date.parse(from) < Date.parse(to)
  const named = (Object.keys(RANGES) as RangeName[]).find(each => each === values.range)
  const name = isDragged ? undefined : (named ?? '24h')
  return {
    name,
    from,
    to,
    isDefault: name === '24h',
    query() {
      if (isDragged) {
        const ms = Date.parse(to) - Date.parse(from)
        return { from, to, zone, step: ms > 8 * 24 * HOUR ? 'day' : 'hour' }
      }
      const { ms, step } = RANGES[name!]
      const now = Date.now()
      return { from: new Date(now - ms).toISOString(), to: new Date(now).toISOString(), step, zone }
    },
    choose: next => set({ range: next === '24h' ? undefined : next, from: undefined, to: undefined }),
    brush: (start, end) => set({ range: undefined, from: start.toISOString(), to: end.toISOString() }),
  }
}
