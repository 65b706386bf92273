import type { EventCursor } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CsvButton } from '../../ui/csv-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { onePage, useRows } from '../../ui/use-rows.ts'
import { CONSUMERS, isConsumer } from './consumer-words.ts'
import { ResetDialog } from './reset-dialog.tsx'

const number = (value: number) => value.toLocaleString('en')
const titleOf = ({ consumer }: EventCursor) => (isConsumer(consumer) ? CONSUMERS[consumer].title : consumer)

export function ConsumersCard() {
  const mayWrite = useMay('events:write')
  const [reset, setReset] = useState<EventCursor>()
  const list = useRows<EventCursor>(
    ['event-consumers'],
    async (_position, options) => onePage(await api.events.consumers(options)),
    LIVE,
  )
  const columns: Column<EventCursor>[] = [
    ...COLUMNS,
    {
      title: 'Action',
      width: 'w-24',
      cell: cursor => (
        <Button
          size="small"
          refusal={!mayWrite && 'You need events:write: ask an owner'}
          onClick={() => setReset(cursor)}
        >
          Move
        </Button>
      ),
    },
  ]
  const stuck = list.rows?.filter(({ tries }) => tries > 0) ?? []
  return (
    <>
      {stuck.map(cursor => (
        <Notice key={cursor.consumer} tone="bad">
          {titleOf(cursor)} is stuck at event {number(cursor.last_event_id + 1)}: {cursor.tries} attempts
          failed
          {cursor.next_attempt_at && (
            <>
              , tried again <Time value={cursor.next_attempt_at} />
            </>
          )}
          .<span className="mt-1 block font-mono text-code">{cursor.last_error}</span>
        </Notice>
      ))}
      <Card
        title="Consumers"
        isFlush
        actions={<CsvButton name="event-consumers" columns={columns} list={list} />}
      >
        <DataTable
          label="Event consumers"
          list={list}
          columns={columns}
          idOf={({ consumer }) => consumer}
          empty={null}
        />
      </Card>
      {reset && <ResetDialog cursor={reset} onClose={() => setReset(undefined)} />}
    </>
  )
}

function stateOf({ tries, lag }: EventCursor): { status: string; label: string } {
  if (tries > 0) return { status: 'failed', label: 'Stuck' }
  return lag > 0 ? { status: 'running', label: 'Reading' } : { status: 'active', label: 'Up to date' }
}

const COLUMNS: Column<EventCursor>[] = [
  {
    title: 'State',
    width: 'w-32',
    csv: cursor => stateOf(cursor).label,
    cell: cursor => <Status {...stateOf(cursor)} />,
  },
  {
    title: 'Consumer',
    csv: ({ consumer }) => consumer,
    cell: cursor => (
      <>
        <span className="font-medium">{titleOf(cursor)}</span>
        <span className="ml-2 text-muted max-md:hidden">
          {isConsumer(cursor.consumer) && CONSUMERS[cursor.consumer].does}
        </span>
      </>
    ),
  },
  {
    title: 'To read',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ lag }) => lag,
    cell: ({ lag }) => number(lag),
  },
  {
    title: 'Place in the log',
    from: 'lg',
    width: 'w-40',
    isNumber: true,
    csv: ({ last_event_id }) => last_event_id,
    cell: ({ last_event_id, head_id }) => (
      <>
        {number(last_event_id)} <span className="text-muted">of {number(head_id)}</span>
      </>
    ),
  },
  {
    title: 'Last moved',
    from: 'md',
    width: 'w-28',
    csv: ({ moved_at }) => moved_at,
    cell: ({ moved_at }) => <Time value={moved_at} className="text-muted" />,
  },
]
