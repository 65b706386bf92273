/** Who is told of which events, and on which channels; built-in rules until the tenant has its own. */
import type { FanoutRule, Relation } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Chip } from '../../ui/status.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { EditRule } from './edit-rule.tsx'
import { RelationsTable } from './relations-table.tsx'

export function FanoutTab() {
  const may = useMay('topics:write')
  const [edited, setEdited] = useState<FanoutRule | 'new'>()
  const filters = useFilters(['event_kind'])
  const { event_kind } = filters.values
  const relations = useQuery({
    queryKey: ['relations'],
    queryFn: ({ signal }) => api.relations.list({ signal }),
  })
  const list = useRows<FanoutRule>(
    ['fanout-rules', event_kind],
    (position, options) => api.fanoutRules.list({ ...position, ...(event_kind && { event_kind }) }, options),
    { pageSize: 100 },
  )
  return (
    <>
      <ListCard
        label="Fan-out rules"
        list={list}
        columns={COLUMNS}
        idOf={({ event_kind: kind, relation }) => `${kind} ${relation}`}
        onOpen={rule => setEdited(rule)}
        filters={filters}
        search={{ name: 'event_kind', placeholder: 'Rules for the event…' }}
        actions={
          <Button
            kind="quiet"
            size="small"
            onClick={() => setEdited('new')}
            refusal={!may && 'You need topics:write: ask an owner.'}
          >
            <Plus size={14} aria-hidden="true" />
            Create a rule
          </Button>
        }
        empty={
          <Empty title="There are no rules" text="A rule says what people in a relation to an event get." />
        }
      />
      <h2 className="mt-2 text-lg">Relations</h2>
      <RelationsTable />
      {edited && (
        <EditRule
          rule={edited === 'new' ? undefined : edited}
          relations={(relations.data?.data ?? []).map((relation: Relation) => relation.name)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

const COLUMNS: Column<FanoutRule>[] = [
  {
    title: 'When this happens',
    cell: ({ event_kind }) => <span title={event_kind}>{event_kind}</span>,
    csv: ({ event_kind }) => event_kind,
    width: 'w-2/5 md:w-auto',
  },
  { title: 'the', cell: ({ relation }) => relation, csv: ({ relation }) => relation, width: 'w-1/4 md:w-32' },
  {
    title: 'gets it on',
    cell: ({ channels }) =>
      channels.length === 0 ? (
        <span className="text-muted">nothing</span>
      ) : (
        <span className="flex flex-wrap gap-1 whitespace-normal">
          {channels.map(channel => (
            <Chip key={channel}>{channel}</Chip>
          ))}
        </span>
      ),
    csv: ({ channels }) => channels.join(', '),
    width: 'md:w-40',
  },
  {
    title: 'as',
    cell: ({ notification_type, event_kind }) =>
      notification_type ?? <span className="text-muted">{event_kind}</span>,
    csv: ({ notification_type }) => notification_type,
    width: 'w-48',
    from: 'lg',
  },
  {
    title: 'Origin',
    cell: ({ is_built_in, passes_mute }) => (
      <span className="flex gap-1">
        <Chip {...(!is_built_in && { tone: 'info' as const })}>{is_built_in ? 'built in' : 'your own'}</Chip>
        {passes_mute && <Chip>passes mute</Chip>}
      </span>
    ),
    csv: ({ is_built_in }) => (is_built_in ? 'built in' : 'own'),
    width: 'w-44',
    from: 'md',
  },
]
