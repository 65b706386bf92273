/** What happened in the application, as it told it; each event leads to who heard of it. */
import type { DomainEvent } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { addressOf } from '../../shell/addresses.ts'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { MeaningSearch } from '../../ui/meaning-search.tsx'
import { Page } from '../../ui/page.tsx'
import { type Filters, useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { EVENT_COLUMNS } from './event-columns.tsx'
import { meaningsOf } from './event-meanings.ts'

const FILTERS = ['kind', 'topic', 'actor_id', 'thread_kind', 'thread_id'] as const

/** A thread is its kind and its id: neither is of use without the other. */
const withWholeThreads = (filters: Filters<(typeof FILTERS)[number]>): typeof filters => ({
  ...filters,
  set: changes =>
    filters.set(
      'thread_kind' in changes || 'thread_id' in changes
        ? { thread_kind: undefined, thread_id: undefined, ...changes }
        : changes,
    ),
})

export default function EventsPage() {
  const filters = withWholeThreads(useFilters(FILTERS))
  const navigate = useNavigate()
  const list = useRows<DomainEvent>(
    ['events', 'list', filters.values],
    (position, options) => api.events.list({ ...position, ...filters.values }, options),
    LIVE,
  )
  const linkOf = ({ event_id }: DomainEvent) => addressOf('event', event_id)
  return (
    <Page
      title="Events"
      lead="What happened in your application, as it said. Rules decide who is told; open an event to see who was, and why."
    >
      <ListCard
        label="Events"
        list={list}
        columns={EVENT_COLUMNS}
        idOf={({ event_id }) => event_id}
        linkOf={linkOf}
        onKey={(key, row) => key === 'e' && void navigate({ to: linkOf(row) })}
        filters={filters}
        searchField={
          <MeaningSearch
            hint="Kind, topic, thread, person or id"
            choicesFor={meaningsOf}
            onChoose={({ event, filter }) => {
              if (event !== undefined) void navigate({ to: addressOf('event', event) })
              else filters.set(filter)
            }}
          />
        }
        choices={[
          { name: 'kind', label: 'Kind' },
          { name: 'topic', label: 'Topic' },
          { name: 'actor_id', label: 'Done by' },
          { name: 'thread_kind', label: 'Kind of thread' },
          { name: 'thread_id', label: 'Thread' },
        ]}
        empty={
          <Empty
            icon={Waypoints}
            title="No events yet"
            text="Your application tells what happened; rules and relations decide who hears of it. Each event says here who was told and why, or why not."
            command={`curl ${location.origin}/v1/events \\
  -H "authorization: Bearer $CARILLON_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"kind": "issue_comment_created", "topic": "acme/api",
       "relations": {"mention": ["ada"]}}'`}
          />
        }
      />
    </Page>
  )
}
