/** The threads that the person follows or has left, and the topics that they watch. */
import type { Subscription } from '@carillon/contract'
import { MessagesSquare } from 'lucide-react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useRows } from '../../ui/use-rows.ts'
import { MissingScope } from './missing-scope.tsx'
import { Watches } from './watches.tsx'

const REASONS: Record<Subscription['reason'], string> = {
  manual: 'by their own choice',
  manual_unsubscribe: 'left by their own choice',
  email_one_click: 'left from a mail',
  author: 'as the author',
  assigned: 'because it was assigned to them',
  review_requested: 'because their review was asked for',
  mention: 'because they were mentioned',
  commenter: 'because they commented',
}

const COLUMNS: Column<Subscription>[] = [
  {
    title: 'Thread',
    cell: ({ thread_kind, thread_id }) => (
      <>
        <span className="text-muted">{thread_kind}</span> <bdi className="font-medium">{thread_id}</bdi>
      </>
    ),
    csv: ({ thread_kind, thread_id }) => `${thread_kind}/${thread_id}`,
  },
  {
    title: 'State',
    width: 'w-32',
    cell: ({ subscribed }) =>
      subscribed ? <Status status="active" label="follows" /> : <Status status="inactive" label="left" />,
    csv: ({ subscribed }) => subscribed,
  },
  {
    title: 'Why',
    from: 'md',
    cell: ({ reason }) => <span className="text-muted">{REASONS[reason] ?? reason}</span>,
    csv: ({ reason }) => reason,
  },
  {
    title: 'Changed',
    width: 'w-28',
    from: 'md',
    cell: ({ updated_at }) => <Time value={updated_at} />,
    csv: ({ updated_at }) => updated_at,
  },
]

export function SubscriptionsTab({ userId }: { userId: string }) {
  const mayRead = useMay('topics:read')
  const list = useRows(
    ['subscriptions', 'of-person', userId],
    (position, options) => api.threads.subscriptionsOf(userId, position, options),
    { enabled: mayRead },
  )
  if (!mayRead) return <MissingScope scope="topics:read" />
  return (
    <div className="grid gap-4">
      <ListCard
        label="Subscriptions"
        list={list}
        columns={COLUMNS}
        idOf={({ thread_kind, thread_id }) => `${thread_kind} ${thread_id}`}
        empty={
          <Empty
            icon={MessagesSquare}
            title="Follows no thread"
            text="Whoever writes, is mentioned or is assigned in a thread follows it from then on; what they chose about a thread stands here."
          />
        }
      />
      <Watches userId={userId} />
    </div>
  )
}
