/** What was given up: by cause, to mend and replay at once, or letter by letter. */
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { TimeFilter } from '../../ui/time-filter.tsx'
import { type Filters, useFilters } from '../../ui/use-filters.ts'
import { type Bulk, BulkDialog } from './bulk-dialog.tsx'
import { Causes, CausesSkeleton } from './causes.tsx'
import { choicesOf, FILTER_NAMES, type FilterName, filterOf, stateOf } from './filters.ts'
import { LetterList } from './letter-list.tsx'

export default function DeadLettersPage() {
  const filters = useFilters(FILTER_NAMES)
  const choices = useChoices()
  const mayWrite = useMay('dead_letters:write')
  const [bulk, setBulk] = useState<Bulk>()
  const refusal = !mayWrite && 'You need dead_letters:write for this: ask an owner.'
  const shared = { filters, choices, refusal, onBulk: setBulk } as const
  return (
    <Page
      title="Dead letters"
      lead="Messages and other work that Carillon has given up. Nothing is lost: mend the cause, then send them again."
    >
      <Tabs
        label="Views"
        name="view"
        tabs={[
          { value: 'causes', title: 'By cause', content: <CauseView {...shared} /> },
          { value: 'list', title: 'Every letter', content: <LetterList {...shared} empty={<Nothing />} /> },
        ]}
      />
      {bulk && <BulkDialog bulk={bulk} onClose={() => setBulk(undefined)} />}
    </Page>
  )
}

interface CauseViewProps {
  filters: Filters<FilterName>
  choices: ReturnType<typeof choicesOf>
  refusal: string | false
  onBulk(bulk: Bulk): void
}

function CauseView({ filters, choices, refusal, onBulk }: CauseViewProps) {
  const filter = filterOf(filters.values)
  const state = stateOf(filters.values)
  const { data, error, refetch } = useQuery({
    queryKey: ['dead-letters', 'groups', state, filter],
    queryFn: ({ signal }) => api.deadLetters.groups({ ...filter, state }, { signal }),
    ...LIVE,
  })
  const isEmpty = data?.data.length === 0
  return (
    <Card isFlush>
      {(!isEmpty || filters.isAny) && (
        <FilterBar filters={filters} choices={choices} more={<TimeFilter filters={filters} />} />
      )}
      {error && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <CausesSkeleton />
      ) : isEmpty ? (
        filters.isAny ? (
          <Empty
            title="Nothing matches"
            text="Nothing is left with these filters."
            action={<Button onClick={filters.clear}>Clear filters</Button>}
          />
        ) : (
          <Nothing />
        )
      ) : (
        <Causes groups={data.data} refusal={refusal} isOpen={state === 'open'} onBulk={onBulk} />
      )}
    </Card>
  )
}

function Nothing() {
  return (
    <Empty
      icon={CircleCheck}
      title="Nothing was given up"
      text="When the attempts of a message, a webhook or a script are used up, or a provider refuses it for good, it waits here with its cause, its history and a hint."
      command="npx carillon dead-letters list"
    />
  )
}

/** Names to choose from, for those who may read them; others type. */
function useChoices() {
  const providers = useQuery({
    queryKey: ['providers', 'names'],
    queryFn: ({ signal }) => api.providers.list({ signal }),
    enabled: useMay('providers:read'),
    staleTime: 60_000,
  })
  const types = useQuery({
    queryKey: ['notification-types', 'names'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
    enabled: useMay('types:read'),
    staleTime: 60_000,
  })
  return choicesOf(
    [...new Set(providers.data?.data.map(({ name }) => name) ?? [])],
    types.data?.data.map(({ name }) => name) ?? [],
  )
}
