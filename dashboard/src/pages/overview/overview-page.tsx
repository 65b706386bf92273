/** How it is going, what waits, what failed, and who is to blame. */
import { useQuery } from '@tanstack/react-query'
import { BellRing } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Figures, FiguresSkeleton } from './figures.tsx'
import { OutcomeChart } from './outcome-chart.tsx'
import { ProviderCards } from './provider-cards.tsx'
import { RangeMenu } from './range-menu.tsx'
import { useRange } from './use-range.ts'

export default function OverviewPage() {
  const range = useRange()
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.metrics.overview({ signal }),
    ...LIVE,
  })
  const series = useQuery({
    queryKey: ['series', range.name, range.from, range.to],
    queryFn: ({ signal }) => api.metrics.series(range.query(), { signal }),
    placeholderData: before => before,
    ...LIVE,
  })
  const totals = series.data?.totals
  const isNew = totals !== undefined && Object.values(totals).every(value => !value) && range.isDefault
  return (
    <Page
      title="Overview"
      actions={
        <>
          <RangeMenu range={range} />
          <LinkButton to="/send" kind="primary">
            Send a test
          </LinkButton>
        </>
      }
    >
      {overview.error ? (
        <Card>
          <Problem error={overview.error} onRetry={() => void overview.refetch()} />
        </Card>
      ) : overview.data && totals ? (
        <Figures overview={overview.data} totals={totals} />
      ) : (
        <FiguresSkeleton />
      )}
      {isNew ? (
        <Card>
          <Empty
            icon={BellRing}
            title="Nothing was sent yet"
            text="As soon as your application says that something happened, it shows here."
            command="npx carillon demo"
            action={<LinkButton to="/send">Send the first notification</LinkButton>}
          />
        </Card>
      ) : (
        <OutcomeChart series={series.data} error={series.error} range={range} />
      )}
      <ProviderCards recent={overview.data?.providers ?? []} />
    </Page>
  )
}
