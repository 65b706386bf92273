/** What the person sees in the app. Only to look at: reading it here leaves it unread for them. */
import type { InboxItem } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { classes } from '../../ui/classes.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Chip } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { MissingScope } from './missing-scope.tsx'

const stateOf = ({ is_read, done_at, snoozed_until }: InboxItem): string =>
  done_at !== null ? 'done' : snoozed_until !== null ? 'snoozed' : is_read ? 'read' : 'unread'

const COLUMNS: Column<InboxItem>[] = [
  {
    title: 'Notification',
    cell: item => (
      <span className="flex min-w-0 items-center gap-2" dir="auto">
        <span
          aria-hidden="true"
          className={classes('size-2 shrink-0 rounded-full', item.is_read ? 'bg-transparent' : 'bg-accent')}
        />
        <span className="cut min-w-0">
          <span className={item.is_read ? '' : 'font-medium'}>{item.title}</span>
          {item.message && <span className="text-muted"> · {item.message}</span>}
        </span>
      </span>
    ),
    csv: ({ title }) => title,
  },
  { title: 'State', width: 'w-20', cell: stateOf, csv: stateOf },
  {
    title: 'Reason',
    width: 'w-28',
    from: 'md',
    cell: ({ reason }) => reason && <Chip>{reason.replaceAll('_', ' ')}</Chip>,
    csv: ({ reason }) => reason,
  },
  {
    title: 'Type',
    width: 'w-36',
    from: 'md',
    cell: ({ notification_id, type }) =>
      notification_id === null ? type : <TextLink to={`/activity/${notification_id}`}>{type}</TextLink>,
    csv: ({ type }) => type,
  },
  {
    title: 'Time',
    width: 'w-28',
    from: 'md',
    cell: ({ last_event_at }) => <Time value={last_event_at} />,
    csv: ({ last_event_at }) => last_event_at,
  },
]

export function InboxTab({ userId }: { userId: string }) {
  const mayRead = useMay('inbox:read')
  const filters = useFilters(['q'])
  const { q } = filters.values
  const list = useRows(
    ['inbox', 'of-person', userId, q],
    (position, options) => api.inbox.list(userId, { ...(q && { q }), ...position }, options),
    { ...LIVE, enabled: mayRead },
  )
  const unread = useQuery({
    queryKey: ['inbox', 'unread', userId],
    queryFn: ({ signal }) => api.inbox.unreadCount(userId, { signal }),
    enabled: mayRead,
    ...LIVE,
  })
  if (!mayRead) return <MissingScope scope="inbox:read" />
  return (
    <ListCard
      label="Inbox"
      list={list}
      columns={COLUMNS}
      idOf={({ id }) => id}
      filters={filters}
      search={{ name: 'q', placeholder: 'is:unread reason:mention' }}
      actions={
        unread.data && (
          <span className="text-sm text-muted tabular">{unread.data.unread.toLocaleString('en')} unread</span>
        )
      }
      empty={
        <Empty
          icon={Inbox}
          title="The inbox is empty"
          text="What this person sees in your application stands here, as they see it; looking at it here does not mark it as read."
        />
      }
    />
  )
}
