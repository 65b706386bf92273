/** Who changed what, when, and from where. */
import type { AuditLog } from '@carillon/contract'
import { ScrollText } from 'lucide-react'
import { api } from '../../app/api.ts'
import { Actor } from '../../ui/actor.tsx'
import { resourceAddress, sayDone, sayResource } from '../../ui/audit-words.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { changesBetween } from '../../ui/field-changes.ts'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeFilter } from '../../ui/time-filter.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useKeyNames } from '../../ui/use-key-names.ts'
import { useRows } from '../../ui/use-rows.ts'
import { ExportMenu } from './export-menu.tsx'
import { choicesOf, FILTER_NAMES } from './filters.ts'
import { RowSheet } from './row-sheet.tsx'

const columnsOf = (keys: ReadonlyMap<string, string>): Column<AuditLog>[] => [
  { title: 'Time', width: 'w-28', cell: ({ created_at }) => <Time value={created_at} /> },
  { title: 'Who', width: 'w-44', from: 'md', cell: row => <Actor row={row} keys={keys} /> },
  {
    title: 'What',
    width: 'w-52 max-md:w-auto',
    cell: row => (
      <>
        {sayDone(row)} <span className="font-medium">{sayResource(row.resource_type)}</span>
      </>
    ),
  },
  { title: 'Object', from: 'md', cell: row => <ObjectLink row={row} /> },
  {
    title: 'Fields',
    from: 'lg',
    cell: row => <span className="text-muted">{fieldsOf(row)}</span>,
  },
  {
    title: 'From',
    width: 'w-32',
    from: 'xl',
    cell: ({ ip_address }) => <span className="text-muted tabular">{ip_address ?? '–'}</span>,
  },
]

/** For a change, its fields; what was created or deleted has all of them. */
function fieldsOf({ old_values, new_values }: AuditLog): string {
  if (old_values === null || new_values === null) return ''
  return changesBetween(old_values, new_values)
    .map(({ field }) => field)
    .join(', ')
}

function ObjectLink({ row: { resource_type, resource_id } }: { row: AuditLog }) {
  const address = resourceAddress(resource_type, resource_id)
  if (resource_id === null) return <span className="text-muted">several</span>
  if (address === undefined) return <bdi title={resource_id}>{resource_id}</bdi>
  return (
    <TextLink to={address} title={resource_id}>
      <bdi>{resource_id}</bdi>
    </TextLink>
  )
}

export default function AuditLogPage() {
  const filters = useFilters(FILTER_NAMES)
  const opened = useFilters(['row'])
  const keys = useKeyNames()
  const list = useRows(['audit-logs', 'list', filters.values], (position, options) =>
    api.auditLogs.list({ ...filters.values, ...position }, options),
  )
  const shown = list.rows?.find(({ id }) => id === opened.values.row)
  return (
    <Page
      title="Audit log"
      lead="Every change that was made with a key or here, with the values before and after. Nobody can edit it."
    >
      <ListCard
        label="Audit log"
        list={list}
        columns={columnsOf(keys)}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.set({ row: id })}
        filters={filters}
        choices={choicesOf(keys)}
        moreFilters={<TimeFilter filters={filters} />}
        hasOwnFile
        actions={<ExportMenu filter={filters.values} />}
        empty={
          <Empty
            icon={ScrollText}
            title="Nothing was changed yet"
            text="Whoever creates, changes or deletes something leaves a row here, in the same transaction."
            command="npx carillon audit-logs list"
          />
        }
      />
      {shown && <RowSheet row={shown} keys={keys} onClose={opened.clear} />}
    </Page>
  )
}
