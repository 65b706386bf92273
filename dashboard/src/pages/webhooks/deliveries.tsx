/** What was sent to a webhook. The one that is open stands in the address. */
import type { Webhook, WebhookDelivery } from '@carillon/contract'
import { Send } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Chip, Status } from '../../ui/status.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { DeliverySheet } from './delivery-sheet.tsx'
import { redeliver } from './redeliver.ts'
import { EVENT_NAMES } from './webhook-events.ts'

const STATUSES = ['delivered', 'retrying', 'failed'] as const

/** From the event to its arrival, retries included. */
function durationOf({ created_at, delivered_at }: WebhookDelivery): number | undefined {
  if (delivered_at === null) return undefined
  return Math.max(0, Date.parse(delivered_at) - Date.parse(created_at))
}

const COLUMNS: Column<WebhookDelivery>[] = [
  {
    title: 'Status',
    width: 'w-28',
    csv: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    title: 'Event',
    csv: ({ event_type }) => event_type,
    cell: ({ event_type, is_test, redelivery_of }) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="cut" title={event_type}>
          <span className="max-md:hidden">{event_type.slice(0, event_type.indexOf('.') + 1)}</span>
          {event_type.slice(event_type.indexOf('.') + 1)}
        </span>
        {is_test && <Chip>test</Chip>}
        {redelivery_of !== null && <Chip>again</Chip>}
      </span>
    ),
  },
  {
    title: 'Answer',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ response_status }) => response_status,
    cell: ({ response_status, attempt_count }) =>
      response_status ?? <span className="text-muted">{attempt_count > 0 ? 'none' : '–'}</span>,
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
    title: 'Took',
    from: 'lg',
    width: 'w-36',
    isNumber: true,
    csv: durationOf,
    cell: delivery => {
      const duration = durationOf(delivery)
      if (duration !== undefined) return sayDuration(duration)
      if (delivery.next_retry_at === null) return <span className="text-muted">–</span>
      return (
        <span className="text-muted">
          again <Time value={delivery.next_retry_at} />
        </span>
      )
    },
  },
  {
    title: 'Created',
    width: 'w-28',
    csv: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
]

export function Deliveries({ webhook: { id } }: { webhook: Webhook }) {
  const filters = useFilters(['status', 'event_type'])
  const opened = useFilters(['delivery'])
  const status = STATUSES.find(each => each === filters.values.status)
  const { event_type } = filters.values
  const list = useRows<WebhookDelivery>(
    ['webhooks', id, 'deliveries', status, event_type],
    (position, options) =>
      api.webhooks.deliveries(
        id,
        { ...position, ...(status && { status }), ...(event_type && { event_type }) },
        options,
      ),
    LIVE,
  )
  return (
    <>
      <ListCard
        label="Deliveries"
        list={list}
        columns={COLUMNS}
        idOf={delivery => delivery.id}
        onOpen={delivery => opened.set({ delivery: delivery.id })}
        onKey={(key, delivery) => {
          if (key === 'r') void redeliver(delivery)
        }}
        filters={filters}
        choices={[
          { name: 'status', label: 'Status', options: STATUSES },
          {
            name: 'event_type',
            label: 'Event',
            options: EVENT_NAMES.map(value => ({ value, label: value })),
          },
        ]}
        empty={
          <Empty
            icon={Send}
            title="Nothing was delivered yet"
            text="As soon as one of its events happens, it shows here with every attempt and answer. Send a test to see what your receiver says."
          />
        }
      />
      <DeliverySheet
        webhookId={id}
        deliveryId={opened.values.delivery}
        onClose={() => opened.set({ delivery: undefined })}
      />
    </>
  )
}
