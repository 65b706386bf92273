import type { Record as CarillonRecord, RouteStatus } from '@carillon/contract'
import { useNavigate } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { sayMoment } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { STATUS_ORDER } from '../record/decisions.ts'
import { ActivitySearch } from './activity-search.tsx'
import { RECORD_COLUMNS } from './record-columns.tsx'
import { useTypes } from './use-types.ts'

const FILTERS = [
  'notification_type',
  'producer',
  'status',
  'user_id',
  'idempotency_key',
  'event_id',
  'accepted_after',
  'accepted_before',
] as const

const sayTime = (value: string) => sayMoment(new Date(value))

export function RecordsList() {
  const filters = useFilters(FILTERS)
  const navigate = useNavigate()
  const types = useTypes()?.map(({ name }) => name) ?? []
  const { status, ...rest } = filters.values
  const list = useRows<CarillonRecord>(
    ['records', 'list', filters.values],
    (position, options) =>
      api.records.list({ ...position, ...rest, ...(status && { status: status as RouteStatus }) }, options),
    LIVE,
  )
  const linkOf = ({ notification_id }: CarillonRecord) => `/activity/${notification_id}`
  return (
    <ListCard
      label="Notifications"
      list={list}
      columns={RECORD_COLUMNS}
      idOf={({ notification_id }) => notification_id}
      linkOf={linkOf}
      onKey={(key, row) => key === 'e' && void navigate({ to: linkOf(row) })}
      filters={filters}
      searchField={
        <ActivitySearch
          types={types}
          kinds={['record', 'user_id', 'idempotency_key', 'notification_type']}
          onChoose={(name, value) => filters.set({ [name]: value })}
        />
      }
      choices={[
        { name: 'status', label: 'Status', options: STATUS_ORDER },
        {
          name: 'notification_type',
          label: 'Type',
          options: types.map(value => ({ value, label: value })),
        },
        { name: 'user_id', label: 'Person' },
        { name: 'idempotency_key', label: 'Key' },
        { name: 'producer', label: 'Producer' },
        { name: 'event_id', label: 'Event' },
        { name: 'accepted_after', label: 'From', say: sayTime },
        { name: 'accepted_before', label: 'Until', say: sayTime },
      ]}
      empty={
        <Empty
          icon={Activity}
          title="Nothing was sent yet"
          text="Every notification that your application sends stands here, with the reason why each person got it or did not."
          command={`curl ${location.origin}/v1/intents \\
  -H "authorization: Bearer $CARILLON_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"notification_type": "hello", "channels": ["in_app"],
       "audience": {"kind": "users", "user_ids": ["ada"]},
       "payload": {"title": "Hello", "body": "It works."}}'`}
          action={<LinkButton to="/send">Send a test</LinkButton>}
        />
      }
    />
  )
}
