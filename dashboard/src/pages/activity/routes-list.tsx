import type { Channel, Route, RouteStatus } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { CHANNEL_OPTIONS } from '../../ui/channel.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { sayMoment } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { STATUS_ORDER } from '../record/decisions.ts'
import { ActivitySearch } from './activity-search.tsx'
import { ROUTE_COLUMNS } from './route-columns.tsx'
import { useTypes } from './use-types.ts'

/** Those that both views have, have the same names, and stay when one changes the view. */
const FILTERS = [
  'status',
  'channel',
  'user_id',
  'notification_type',
  'provider',
  'accepted_after',
  'accepted_before',
] as const

const sayTime = (value: string) => sayMoment(new Date(value))

export function RoutesList() {
  const filters = useFilters(FILTERS)
  const navigate = useNavigate()
  const types = useTypes()?.map(({ name }) => name) ?? []
  const { status, channel, accepted_after, accepted_before, ...rest } = filters.values
  const list = useRows<Route>(
    ['records', 'routes', filters.values],
    (position, options) =>
      api.routes.list(
        {
          ...position,
          ...rest,
          ...(status && { status: status as RouteStatus }),
          ...(channel && { channel: channel as Channel }),
          ...(accepted_after && { created_after: accepted_after }),
          ...(accepted_before && { created_before: accepted_before }),
        },
        options,
      ),
    LIVE,
  )
  // To the story of the person that the message was for.
  const open = ({ notification_id, user_id }: Route) =>
    void navigate({
      to: `/activity/${notification_id}`,
      search: user_id === null ? {} : { person: user_id },
    })
  return (
    <ListCard
      label="Messages"
      list={list}
      columns={ROUTE_COLUMNS}
      idOf={({ notification_id, route_id }) => `${notification_id} ${route_id}`}
      onOpen={open}
      onKey={(key, row) => key === 'e' && open(row)}
      filters={filters}
      searchField={
        <ActivitySearch
          types={types}
          kinds={['record', 'user_id', 'notification_type']}
          onChoose={(name, value) => filters.set({ [name]: value })}
        />
      }
      choices={[
        { name: 'status', label: 'Status', options: STATUS_ORDER },
        { name: 'channel', label: 'Channel', options: CHANNEL_OPTIONS },
        {
          name: 'notification_type',
          label: 'Type',
          options: types.map(value => ({ value, label: value })),
        },
        { name: 'user_id', label: 'Person' },
        { name: 'provider', label: 'Provider' },
        { name: 'accepted_after', label: 'From', say: sayTime },
        { name: 'accepted_before', label: 'Until', say: sayTime },
      ]}
      empty={
        <Empty
          icon={MessagesSquare}
          title="No messages yet"
          text="A notification becomes one message for every person and channel; each has its own status here."
          action={<LinkButton to="/send">Send a test</LinkButton>}
        />
      }
    />
  )
}
