/** When it would run, while the expression is being written. */
import { useQuery } from '@tanstack/react-query'
import { api, wordsOf } from '../../app/api.ts'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { useSettled } from '../../ui/use-settled.ts'

const day = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** A local time without a zone, as it is on the wall there. */
function sayLocal(local: string): string {
  const at = new Date(`${local.slice(0, 16).replace(' ', 'T')}Z`)
  return Number.isNaN(at.getTime()) ? local : day.format(at)
}

export function NextRuns({
  cron,
  timezone,
  isActive,
}: {
  cron: string
  timezone: string
  isActive: boolean
}) {
  const asked = useSettled(`${cron}\n${timezone}`, 300)
  const [settledCron = '', settledZone = ''] = asked.split('\n')
  const { data, error } = useQuery({
    queryKey: ['schedule-preview', settledCron, settledZone],
    queryFn: ({ signal }) =>
      api.schedules.preview({ cron: settledCron, timezone: settledZone, count: 8 }, { signal }),
    enabled: settledCron.trim() !== '',
    placeholderData: before => before,
  })
  return (
    <Card title={isActive ? 'Next runs' : 'Would run'}>
      {error ? (
        <p role="alert" className="break-words text-bad">
          {wordsOf(error)}
        </p>
      ) : data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : data.runs.length === 0 ? (
        <p className="text-muted">It never runs: there is no such day.</p>
      ) : (
        <ol className="flex flex-col gap-1.5">
          {data.runs.map(({ at, local }) => (
            <li key={at} className="flex justify-between gap-3">
              <span className="tabular">{sayLocal(local)}</span>
              <Time value={at} className="text-muted" />
            </li>
          ))}
        </ol>
      )}
      <p className="mt-3 text-sm text-muted">Local time in {settledZone}.</p>
    </Card>
  )
}
