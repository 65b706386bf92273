/** The entries of a collection, by key; the one that is open stands in the address. */
import type { KvEntrySummary } from '@carillon/contract'
import { useParams } from '@tanstack/react-router'
import { Database, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { EntrySheet } from './entry-sheet.tsx'
import { NewEntryDialog } from './new-entry-dialog.tsx'

const COLUMNS: Column<KvEntrySummary>[] = [
  {
    title: 'Key',
    csv: ({ key }) => key,
    cell: ({ key }) => (
      <span className="font-mono text-code" title={key}>
        {key}
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
    title: 'Bytes',
    from: 'md',
    width: 'w-24',
    isNumber: true,
    csv: ({ bytes }) => bytes,
    cell: ({ bytes }) => bytes.toLocaleString('en'),
  },
  {
    title: 'Expires',
    from: 'md',
    width: 'w-32',
    csv: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) =>
      expires_at === null ? (
        <span className="text-muted">never</span>
      ) : (
        <Time value={expires_at} className="text-muted" />
      ),
  },
  {
    title: 'Changed',
    width: 'w-28',
    csv: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Time value={updated_at} className="text-muted" />,
  },
]

export default function CollectionPage() {
  const { collection } = useParams({ strict: false }) as { collection: string }
  const mayWrite = useMay('kv:write')
  const filters = useFilters(['prefix'])
  const opened = useFilters(['key'])
  const [isAdding, setAdding] = useState(false)
  const { prefix } = filters.values
  const list = useRows<KvEntrySummary>(['kv', 'entries', collection, prefix], (position, options) =>
    api.kv.list(collection, { ...position, ...(prefix && { prefix }) }, options),
  )
  return (
    <Page
      title={collection}
      actions={
        <Button
          kind="primary"
          refusal={!mayWrite && 'You need kv:write: ask an owner'}
          onClick={() => setAdding(true)}
        >
          <Plus size={14} aria-hidden="true" />
          Add an entry
        </Button>
      }
    >
      <ListCard
        label={`Entries of ${collection}`}
        list={list}
        columns={COLUMNS}
        idOf={({ key }) => key}
        onOpen={({ key }) => opened.set({ key })}
        filters={filters}
        choices={[]}
        search={{ name: 'prefix', placeholder: 'Key begins with' }}
        empty={
          <Empty
            icon={Database}
            title="It has no entries"
            text="A collection is gone with its last entry, and comes back with the next one."
          />
        }
      />
      <EntrySheet
        collection={collection}
        entryKey={opened.values.key}
        onClose={() => opened.set({ key: undefined })}
      />
      <NewEntryDialog collection={collection} isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  )
}
