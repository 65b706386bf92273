/** Times for people: moments in UTC to the second, and durations in the two largest units. */

/** 2026-01-31T09:30:00.123Z becomes 2026-01-31 09:30:00Z; null becomes ''. */
export function formatMoment(iso: string | null): string {
  if (iso === null) return ''
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** 12 ms, 3.4 s, 5 min 10 s, 2 h 5 min, 3 d 4 h. */
export function formatSpan(ms: number): string {
  if (ms < 0) return `-${formatSpan(-ms)}`
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (seconds < 3600) return twoUnits(seconds, 60, 'min', 's')
  if (seconds < 86_400) return twoUnits(Math.floor(seconds / 60), 60, 'h', 'min')
  return twoUnits(Math.floor(seconds / 3600), 24, 'd', 'h')
}

function twoUnits(count: number, size: number, large: string, small: string): string {
  const rest = count % size
  return `${Math.floor(count / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
