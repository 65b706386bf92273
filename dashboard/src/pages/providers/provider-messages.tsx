/** What went through a provider, and what it gave up. */
import type { DeadLetter, Provider, Route } from '@carillon/contract'
import { Inbox, Mail } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'

const STATUSES = ['sent', 'retrying', 'pending', 'dead', 'expired', 'cancelled'] as const

const MESSAGES: Column<Route>[] = [
  {
    title: 'Status',
    width: 'w-28',
    csv: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    title: 'To',
    csv: ({ resolved_address, recipient_ref }) => resolved_address || recipient_ref,
    cell: ({ resolved_address, recipient_ref }) => resolved_address || recipient_ref,
  },
  {
    title: 'Answer',
    from: 'lg',
    csv: ({ last_error_message, provider_message_id }) => last_error_message || provider_message_id,
    cell: ({ status, last_error_message, provider_message_id }) =>
      status !== 'sent' && last_error_message ? (
        <span title={last_error_message}>{last_error_message}</span>
      ) : (
        <span className="font-mono text-code text-muted">{provider_message_id}</span>
      ),
  },
  {
    title: 'Attempts',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ attempt_count }) => attempt_count,
    cell: ({ attempt_count }) => attempt_count,
  },
  {
    title: 'Created',
    width: 'w-28',
    csv: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
]

export function ProviderMessages({ provider: { name, channel } }: { provider: Provider }) {
  const filters = useFilters(['status'])
  const status = STATUSES.find(each => each === filters.values.status)
  const list = useRows<Route>(
    ['routes', 'provider', name, channel, status],
    (position, options) =>
      api.routes.list({ ...position, provider: name, channel, ...(status && { status }) }, options),
    LIVE,
  )
  return (
    <ListCard
      label={`Messages through ${name}`}
      list={list}
      columns={MESSAGES}
      idOf={({ notification_id, route_id }) => `${notification_id} ${route_id}`}
      linkOf={({ notification_id }) => `/activity/${notification_id}`}
      filters={filters}
      choices={[{ name: 'status', label: 'Status', options: STATUSES }]}
      empty={
        <Empty
          icon={Mail}
          title="Nothing went through it yet"
          text="Messages whose last attempt went to this provider show here. Send a test to try it; tests are not kept."
        />
      }
    />
  )
}

const LETTERS: Column<DeadLetter>[] = [
  {
    title: 'To',
    csv: ({ recipient_ref }) => recipient_ref,
    cell: ({ recipient_ref }) => recipient_ref,
  },
  {
    title: 'Type',
    from: 'md',
    width: 'w-40',
    csv: ({ notification_type }) => notification_type,
    cell: ({ notification_type }) => <span className="text-muted">{notification_type}</span>,
  },
  {
    title: 'Why',
    csv: ({ failure_message }) => failure_message,
    cell: ({ failure_message }) => <span title={failure_message}>{failure_message}</span>,
  },
  {
    title: 'Given up',
    width: 'w-28',
    csv: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
]

export function ProviderLetters({ provider: { name, channel } }: { provider: Provider }) {
  const list = useRows<DeadLetter>(
    ['dead-letters', 'provider', name, channel],
    (position, options) => api.deadLetters.list({ ...position, provider: name, channel }, options),
    LIVE,
  )
  return (
    <ListCard
      label={`Dead letters of ${name}`}
      list={list}
      columns={LETTERS}
      idOf={({ id }) => id}
      linkOf={({ id }) => `/dead-letters/${id}`}
      empty={
        <Empty
          icon={Inbox}
          title="No open dead letters"
          text="Messages that were given up at this provider would wait here for you to send them again."
        />
      }
    />
  )
}
