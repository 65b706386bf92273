/** Streams of brokers that intents are read from. */
import type { Stream } from '@carillon/contract'
import { Waves } from 'lucide-react'
import { api } from '../../app/api.ts'
import { LIVE, queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { attempt } from '../../ui/attempt.ts'
import { Button } from '../../ui/button.tsx'
import { CsvButton } from '../../ui/csv-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useRows } from '../../ui/use-rows.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: ['streams'] })

function setPaused(name: string, isPaused: boolean): Promise<void> {
  const change = (pause: boolean) =>
    (pause ? api.streams.pause(name) : api.streams.resume(name)).then(refresh)
  return attempt(async () => {
    await change(isPaused)
    toast(isPaused ? `${name} is paused; what is added waits there.` : `${name} is read again.`, {
      undo: () => void attempt(() => change(!isPaused)),
    })
  })
}

export function StreamsCard() {
  const mayWrite = useMay('streams:write')
  const list = useRows<Stream>(['streams'], (position, options) => api.streams.list(position, options), LIVE)
  const columns: Column<Stream>[] = [
    ...COLUMNS,
    {
      title: 'Action',
      width: 'w-24',
      cell: ({ name, status }) => (
        <Button
          size="small"
          refusal={!mayWrite && 'You need streams:write: ask an owner'}
          onClick={() => setPaused(name, status !== 'paused')}
        >
          {status === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      ),
    },
  ]
  return (
    <Card
      title="Streams"
      isFlush
      actions={list.rows?.length ? <CsvButton name="streams" columns={columns} list={list} /> : undefined}
    >
      <DataTable
        label="Streams"
        list={list}
        columns={columns}
        idOf={({ name }) => name}
        empty={
          <Empty
            icon={Waves}
            title="No stream is read"
            text="Intents can also come from a Redis stream or NATS JetStream. Which ones are read stands in the settings of the server."
            command={`CARILLON_STREAMS='[{"name": "orders", "url": "redis://127.0.0.1:6379", "key": "intents"}]'`}
          />
        }
      />
    </Card>
  )
}

const LABELS: Record<Stream['status'], { status: string; label: string }> = {
  reading: { status: 'active', label: 'Reading' },
  failing: { status: 'failed', label: 'Failing' },
  paused: { status: 'paused', label: 'Paused' },
}

const COLUMNS: Column<Stream>[] = [
  {
    title: 'State',
    width: 'w-32',
    csv: ({ status }) => status,
    cell: ({ status }) => <Status {...LABELS[status]} />,
  },
  {
    title: 'Stream',
    csv: ({ name }) => name,
    cell: ({ name, kind, place, last_error }) => (
      <span title={last_error || place}>
        <span className="font-medium">{name}</span>
        <span className="ml-2 text-muted">
          {kind} {place}
        </span>
        {last_error && <span className="ml-2 text-bad">{last_error}</span>}
      </span>
    ),
  },
  {
    title: 'Waiting',
    width: 'w-24',
    isNumber: true,
    csv: ({ waiting }) => waiting,
    cell: ({ waiting }) => waiting?.toLocaleString('en') ?? '–',
  },
  {
    title: 'Oldest',
    from: 'lg',
    width: 'w-28',
    csv: ({ oldest_at }) => oldest_at,
    cell: ({ oldest_at }) => <Time value={oldest_at} className="text-muted" />,
  },
  {
    title: 'Last read',
    from: 'md',
    width: 'w-28',
    csv: ({ last_read_at }) => last_read_at,
    cell: ({ last_read_at }) => <Time value={last_read_at} className="text-muted" />,
  },
]
