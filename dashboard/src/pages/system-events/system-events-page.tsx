/** What an operator should know, the open ones first. */
import type { Severity, SystemEvent, SystemEventQuery } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { useSelection } from '../../ui/use-selection.ts'
import { countOf, lastSeenOf } from './advice.ts'
import { EventSheet } from './event-sheet.tsx'

const COLUMNS: Column<SystemEvent>[] = [
  {
    title: 'Severity',
    width: 'w-28',
    cell: ({ severity }) => <Status status={severity} />,
    csv: ({ severity }) => severity,
  },
  {
    title: 'What',
    cell: ({ description, subject }) => (
      <span dir="auto" title={description}>
        {description}
        {subject && !description.includes(subject) && (
          <span className="text-muted max-md:hidden"> · {subject}</span>
        )}
      </span>
    ),
    csv: ({ description }) => description,
  },
  {
    title: 'Type',
    width: 'w-44',
    from: 'lg',
    cell: ({ event_type }) => <span className="font-mono text-code text-muted">{event_type}</span>,
    csv: ({ event_type }) => event_type,
  },
  {
    title: 'Count',
    width: 'w-20',
    isNumber: true,
    from: 'md',
    cell: event => countOf(event).toLocaleString('en'),
    csv: countOf,
  },
  {
    title: 'First',
    width: 'w-28',
    from: 'xl',
    cell: ({ created_at }) => <Time value={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    title: 'Last',
    width: 'w-28',
    from: 'md',
    cell: event => <Time value={lastSeenOf(event)} />,
    csv: lastSeenOf,
  },
]

const STATE: Column<SystemEvent> = {
  title: 'State',
  width: 'w-28',
  from: 'md',
  cell: ({ is_resolved }) => <Status status={is_resolved ? 'resolved' : 'open'} />,
  csv: ({ is_resolved }) => (is_resolved ? 'resolved' : 'open'),
}

export default function SystemEventsPage() {
  const queryClient = useQueryClient()
  const filters = useFilters(['state', 'severity', 'event_type'])
  const opened = useFilters(['event'])
  const selection = useSelection()
  const mayWrite = useMay('system_events:write')
  const [isBusy, setBusy] = useState(false)
  const state = (filters.values.state ?? 'open') as SystemEventQuery['state']
  const query = {
    state,
    ...(filters.values.severity && { severity: filters.values.severity as Severity }),
    ...(filters.values.event_type && { event_type: filters.values.event_type }),
  }
  const list = useRows(
    ['system-events', query],
    (position, options) => api.systemEvents.list({ ...query, ...position }, options),
    LIVE,
  )
  const resolve = async (events: SystemEvent[]) => {
    setBusy(true)
    try {
      for (const { id } of events) await api.systemEvents.resolve(id)
      toast(events.length === 1 ? 'It is resolved.' : `${events.length} events are resolved.`)
      opened.clear()
      selection.clear()
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    } finally {
      setBusy(false)
      void queryClient.invalidateQueries({ queryKey: ['system-events'] })
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
    }
  }
  const refusal = !mayWrite && 'You need system_events:write for this: ask an owner.'
  const shown = list.rows?.find(({ id }) => String(id) === opened.values.event)
  const chosen = (list.rows ?? []).filter(
    ({ id, is_resolved }) => !is_resolved && selection.ids.has(String(id)),
  )
  return (
    <Page
      title="System events"
      lead="Conditions that somebody should take care of. Each is counted while it lasts; resolve it when it is dealt with."
    >
      <ListCard
        label="System events"
        list={list}
        columns={state === 'open' ? COLUMNS : [...COLUMNS, STATE]}
        idOf={({ id }) => String(id)}
        onOpen={({ id }) => opened.set({ event: String(id) })}
        {...(mayWrite && state !== 'resolved' && { selection })}
        filters={filters}
        choices={[
          {
            name: 'state',
            label: 'State',
            options: [
              { value: 'resolved', label: 'Resolved' },
              { value: 'all', label: 'Open and resolved' },
            ],
          },
          { name: 'severity', label: 'Severity', options: ['critical', 'high', 'medium', 'low'] },
          { name: 'event_type', label: 'Type', typed: 'provider_down' },
        ]}
        actions={
          chosen.length > 0 && (
            <Button size="small" isBusy={isBusy} onClick={() => void resolve(chosen)}>
              Resolve {chosen.length} selected
            </Button>
          )
        }
        empty={
          <Empty
            icon={CircleCheck}
            title="Nothing needs your attention"
            text="A provider that is down, a webhook that was disabled, a quota that is used up: such things are raised here once, and counted while they last. Your application can raise its own."
            command='npx carillon system-events raise import_late "The nightly import has not arrived" --severity high'
          />
        }
      />
      {shown && (
        <EventSheet
          event={shown}
          onClose={opened.clear}
          footer={
            !shown.is_resolved && (
              <Button kind="primary" refusal={refusal} isBusy={isBusy} onClick={() => void resolve([shown])}>
                Resolve
              </Button>
            )
          }
        />
      )}
    </Page>
  )
}
