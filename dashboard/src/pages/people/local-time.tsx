/** A time zone, and what time it is there: the first question about quiet hours. */
import { useNow } from '../../ui/time.tsx'

export function LocalTime({ zone }: { zone: string }) {
  const now = useNow()
  return (
    <>
      {zone} <span className="text-muted tabular">{timeIn(zone, now)}</span>
    </>
  )
}

function timeIn(timeZone: string, now: number): string {
  try {
    return new Intl.DateTimeFormat('en', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).format(now)
  } catch {
    // The server's list of zones may be newer than the browser's.
    return ''
  }
}
