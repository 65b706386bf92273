/** The endpoints that are told what happens. */
import type { Webhook } from '@carillon/contract'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { stateOf, WebhookStatus } from './webhook-state.tsx'

const COLUMNS: Column<Webhook>[] = [
  {
    title: 'State',
    width: 'w-32',
    csv: webhook => stateOf(webhook).label,
    cell: webhook => <WebhookStatus webhook={webhook} />,
  },
  {
    title: 'Address',
    csv: ({ url }) => url,
    cell: ({ url, description }) => (
      <span title={url}>
        {description && <span className="mr-2 font-medium">{description}</span>}
        <span className={description ? 'text-muted' : ''}>{url}</span>
      </span>
    ),
  },
  {
    title: 'Events',
    from: 'lg',
    width: 'w-64',
    csv: ({ events }) => events.join(' '),
    cell: ({ events }) => (
      <span title={events.join('\n')} className="text-muted">
        {events[0]}
        {events.length > 1 && ` and ${events.length - 1} more`}
      </span>
    ),
  },
  {
    title: 'Waiting',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ waiting }) => waiting,
    cell: ({ waiting }) => waiting.toLocaleString('en'),
  },
  {
    title: 'Failures in a row',
    from: 'md',
    width: 'w-36',
    isNumber: true,
    csv: ({ consecutive_failures }) => consecutive_failures,
    cell: ({ consecutive_failures: count }) => (
      <span className={count > 0 ? 'text-bad' : ''}>{count.toLocaleString('en')}</span>
    ),
  },
  {
    title: 'Created',
    from: 'xl',
    width: 'w-28',
    csv: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
]

const STATES = ['active', 'inactive'] as const

export default function WebhooksPage() {
  const mayWrite = useMay('webhooks:write')
  const filters = useFilters(['state', 'user_id'])
  const { user_id } = filters.values
  const state = STATES.find(each => each === filters.values.state)
  const list = useRows<Webhook>(
    ['webhooks', 'list', state, user_id],
    (position, options) =>
      api.webhooks.list({ ...position, ...(state && { state }), ...(user_id && { user_id }) }, options),
    LIVE,
  )
  const add = (kind: 'primary' | 'secondary') =>
    mayWrite && (
      <LinkButton to="/webhooks/new" kind={kind}>
        <Plus size={14} aria-hidden="true" />
        Add a webhook
      </LinkButton>
    )
  return (
    <Page
      title="Webhooks"
      lead="Addresses of your applications that are told what becomes of notifications, signed and at least once."
      actions={add('primary')}
    >
      <ListCard
        label="Webhooks"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/webhooks/${id}`}
        filters={filters}
        choices={[
          { name: 'state', label: 'State', options: STATES },
          { name: 'user_id', label: 'Person' },
        ]}
        empty={
          <Empty
            icon={WebhookIcon}
            title="Nobody is told yet"
            text="A webhook posts an event to your application when something was sent, failed or was read."
            command="npx carillon webhooks create https://example.com/hooks --event notification.sent"
            action={add('secondary')}
          />
        }
      />
    </Page>
  )
}
