/** Code that runs when something happens. */
import type { ScriptSummary } from '@carillon/contract'
import { Code, Plus } from 'lucide-react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'

const COLUMNS: Column<ScriptSummary>[] = [
  {
    title: 'Name',
    width: 'md:w-64',
    csv: ({ name }) => name,
    cell: ({ name }) => <span className="font-mono text-code font-medium">{name}</span>,
  },
  {
    title: 'Description',
    from: 'md',
    csv: ({ description }) => description,
    cell: ({ description }) => (
      <span title={description} className="text-muted">
        {description}
      </span>
    ),
  },
  {
    title: 'Version',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ version }) => version,
    cell: ({ version }) => version,
  },
  {
    title: 'Limits',
    from: 'lg',
    width: 'w-40',
    isNumber: true,
    csv: ({ timeout_ms, memory_mb }) => `${timeout_ms} ms, ${memory_mb} MiB`,
    cell: ({ timeout_ms, memory_mb }) => (
      <span className="text-muted">
        {sayDuration(timeout_ms)}, {memory_mb} MiB
      </span>
    ),
  },
  {
    title: 'Changed',
    width: 'w-28',
    csv: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Time value={updated_at} className="text-muted" />,
  },
]

export default function ScriptsPage() {
  const mayWrite = useMay('scripts:write')
  const filters = useFilters(['name'])
  const { name } = filters.values
  const list = useRows<ScriptSummary>(['scripts', 'list', name], (position, options) =>
    api.scripts.list({ ...position, ...(name && { name }) }, options),
  )
  const add = (kind: 'primary' | 'secondary') =>
    mayWrite && (
      <LinkButton to="/scripts/new" kind={kind}>
        <Plus size={14} aria-hidden="true" />
        Write a script
      </LinkButton>
    )
  return (
    <Page
      title="Scripts"
      lead="Your own code, run in a sandbox when a trigger fires or somebody invokes it. It can send notifications, remember things and handle dead letters."
      actions={add('primary')}
    >
      <ListCard
        label="Scripts"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/scripts/${id}`}
        filters={filters}
        choices={[]}
        search={{ name: 'name', placeholder: 'Exact name' }}
        empty={
          <Empty
            icon={Code}
            title="There are no scripts"
            text="A few lines of JavaScript can decide who is told what, without a deployment."
            command={
              'echo "export default event => log(event.kind, event.data)" > watcher.js\nnpx carillon scripts create watcher watcher.js'
            }
            action={add('secondary')}
          />
        }
      />
    </Page>
  )
}
