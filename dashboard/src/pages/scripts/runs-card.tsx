/** Runs of a script or a trigger; the one that is open stands in the address. */
import type { Run, RunQuery } from '@carillon/contract'
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Status } from '../../ui/status.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { RunSheet } from './run-sheet.tsx'
import { EVENT_KINDS } from './script-words.ts'

const COLUMNS: Column<Run>[] = [
  {
    title: 'Status',
    width: 'w-32',
    csv: ({ status }) => status,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    title: 'Why it ran',
    width: 'w-44',
    from: 'md',
    csv: ({ kind, op }) => `${kind} ${op}`,
    cell: ({ kind, op }) => (
      <>
        {EVENT_KINDS[kind]} <span className="text-muted">{op}</span>
      </>
    ),
  },
  {
    title: 'Error',
    csv: ({ error }) => error,
    cell: ({ error, attempt }) => (
      <span title={error} className={error ? '' : 'text-muted'}>
        {error || '–'}
        {attempt > 1 && <span className="text-muted"> (attempt {attempt})</span>}
      </span>
    ),
  },
  {
    title: 'Version',
    from: 'lg',
    width: 'w-20',
    isNumber: true,
    csv: ({ script_version }) => script_version,
    cell: ({ script_version }) => script_version,
  },
  {
    title: 'Took',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ duration_ms }) => duration_ms,
    cell: ({ duration_ms }) => sayDuration(duration_ms),
  },
  {
    title: 'Time',
    width: 'w-28',
    csv: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time value={created_at} className="text-muted" />,
  },
]

const STATUSES = ['succeeded', 'failed'] as const

interface RunsCardProps {
  of: Pick<RunQuery, 'script_id' | 'trigger_id'>
  /** What would make it run. */
  hint: ReactNode
}

export function RunsCard({ of, hint }: RunsCardProps) {
  const filters = useFilters(['status'])
  const opened = useFilters(['run'])
  const status = STATUSES.find(each => each === filters.values.status)
  const list = useRows<Run>(
    ['runs', of, status],
    (position, options) => api.runs.list({ ...position, ...of, ...(status && { status }) }, options),
    LIVE,
  )
  return (
    <>
      <ListCard
        label="Runs"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.set({ run: id })}
        filters={filters}
        choices={[{ name: 'status', label: 'Status', options: STATUSES }]}
        empty={<Empty icon={Play} title="It has not run yet" text={hint} />}
      />
      <RunSheet id={opened.values.run} onClose={() => opened.set({ run: undefined })} />
    </>
  )
}
