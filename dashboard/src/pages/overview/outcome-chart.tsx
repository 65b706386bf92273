/** What became of notifications over time, and how long they took. Dragging over a chart chooses that time. */
import type { MetricSeries } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Chart } from '../../ui/chart.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { sayDuration } from '../../ui/time.tsx'
import type { Range } from './use-range.ts'

interface OutcomeChartProps {
  series: MetricSeries | undefined
  error: unknown
  range: Range
}

export function OutcomeChart({ series, error, range }: OutcomeChartProps) {
  const navigate = useNavigate()
  const points = series?.points
  const data = useMemo(() => {
    if (points === undefined) return undefined
    const column = (name: 'sent' | 'failed' | 'skipped' | 'pending' | 'p50_ms' | 'p95_ms') =>
      points.map(point => point[name])
    return {
      times: points.map(({ at }) => Date.parse(at) / 1000),
      outcomes: [
        { label: 'Sent', colour: '--ok', values: column('sent') },
        { label: 'Skipped', colour: '--idle', values: column('skipped') },
        { label: 'Pending', colour: '--info', values: column('pending') },
        { label: 'Failed', colour: '--bad', values: column('failed') },
      ],
      latency: [
        { label: 'p50', colour: '--info', values: column('p50_ms') },
        { label: 'p95', colour: '--warn', values: column('p95_ms') },
      ],
    }
  }, [points])
  /** The list behind a point. */
  const pick = (index: number) => {
    const from = points![index]!.at
    const to = points![index + 1]?.at ?? series!.to
    void navigate({ to: '/activity', search: { accepted_after: from, accepted_before: to } })
  }
  if (error && data === undefined)
    return (
      <Card>
        <Problem error={error} />
      </Card>
    )
  const per = series?.step === 'day' ? 'per day' : 'per hour'
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Card title={`Notifications ${per}`}>
        {data ? (
          <Chart
            label={`Notifications ${per}: sent, skipped, pending and failed`}
            times={data.times}
            series={data.outcomes}
            isStacked
            onBrush={range.brush}
            onPick={pick}
          />
        ) : (
          <Skeleton className="h-[13.75rem] w-full" />
        )}
      </Card>
      <Card title="From due to sent">
        {data ? (
          <Chart
            label="How long half and 95 percent of the notifications took"
            times={data.times}
            series={data.latency}
            format={sayDuration}
            onBrush={range.brush}
          />
        ) : (
          <Skeleton className="h-[13.75rem] w-full" />
        )}
      </Card>
    </div>
  )
}
