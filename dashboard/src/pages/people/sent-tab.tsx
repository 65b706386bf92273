/** Every message to a person, on every channel, with what became of it. */
import type { Route } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNEL_OPTIONS, ChannelName } from '../../ui/channel.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { sayReason } from '../../ui/reasons.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { MissingScope } from './missing-scope.tsx'

const STATUSES = ['pending', 'retrying', 'sent', 'dead', 'skipped', 'cancelled', 'expired'] as const

/** Why, in words: the reason of what was held back, the error of what failed. */
function whyOf({ reason, status, last_error_message, delivered_at, opened_at, bounced_at }: Route): string {
  if (reason !== '') return sayReason(reason)
  if (bounced_at !== null) return 'it bounced'
  if (status === 'dead' || status === 'retrying') return last_error_message
  if (opened_at !== null) return 'opened'
  return delivered_at !== null ? 'delivered' : ''
}

const columnsOf = (types: ReadonlyMap<string, string>): Column<Route>[] => [
  {
    title: 'Time',
    width: 'w-28',
    cell: ({ created_at }) => <Time value={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    title: 'What',
    width: 'w-40 max-md:w-auto',
    cell: route => (
      <span className="font-medium">
        {types.get(route.notification_id) ?? route.template?.name ?? route.notification_id.slice(0, 8)}
      </span>
    ),
    csv: ({ notification_id }) => types.get(notification_id) ?? notification_id,
  },
  {
    title: 'Channel',
    width: 'w-24',
    from: 'md',
    cell: ({ channel }) => <ChannelName channel={channel} />,
    csv: ({ channel }) => CHANNEL_NAMES[channel],
  },
  {
    title: 'Status',
    width: 'w-28',
    cell: ({ status }) => <Status status={status} />,
    csv: ({ status }) => status,
  },
  {
    title: 'Why',
    from: 'md',
    cell: route => (
      <span className="text-muted" dir="auto" title={whyOf(route)}>
        {whyOf(route)}
      </span>
    ),
    csv: whyOf,
  },
]

export function SentTab({ userId }: { userId: string }) {
  const mayRead = useMay('records:read')
  const filters = useFilters(['status', 'channel'])
  const { status, channel } = filters.values
  const query = {
    user_id: userId,
    ...(status && { status: status as Route['status'] }),
    ...(channel && { channel: channel as Route['channel'] }),
  }
  const types = useTypes(userId, mayRead)
  const list = useRows(
    ['routes', 'of-person', query],
    (position, options) => api.routes.list({ ...query, ...position }, options),
    { ...LIVE, enabled: mayRead },
  )
  if (!mayRead) return <MissingScope scope="records:read" />
  return (
    <ListCard
      label="Everything sent"
      list={list}
      columns={columnsOf(types)}
      idOf={({ notification_id, route_id }) => `${notification_id} ${route_id}`}
      linkOf={({ notification_id }) => `/activity/${notification_id}?person=${encodeURIComponent(userId)}`}
      filters={filters}
      choices={[
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'channel', label: 'Channel', options: CHANNEL_OPTIONS },
      ]}
      empty={
        <Empty
          icon={Send}
          title="Nothing was ever sent"
          text="As soon as a notification names this person, each of its messages stands here, also those that were left out, with the reason."
          action={<LinkButton to="/send">Send a test</LinkButton>}
        />
      }
    />
  )
}

/** A route does not name its type, its record does. */
function useTypes(userId: string, isEnabled: boolean): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['records', 'types-of-person', userId],
    queryFn: ({ signal }) => api.records.list({ user_id: userId, limit: 100 }, { signal }),
    enabled: isEnabled,
    staleTime: 15_000,
  })
  return new Map(data?.data.map(record => [record.notification_id, record.notification_type]))
}
