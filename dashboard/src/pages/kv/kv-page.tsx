/** What scripts and applications remember, by collection. */
import type { KvCollection } from '@carillon/contract'
import { Database, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { useRows } from '../../ui/use-rows.ts'
import { NewEntryDialog } from './new-entry-dialog.tsx'

/** Larger collections are not counted to the end. */
const MOST_COUNTED = 10_000

const COLUMNS: Column<KvCollection>[] = [
  {
    title: 'Collection',
    csv: ({ collection }) => collection,
    cell: ({ collection }) => <span className="font-mono text-code font-medium">{collection}</span>,
  },
  {
    title: 'Entries',
    width: 'w-40',
    isNumber: true,
    csv: ({ entries }) => entries,
    cell: ({ entries }) =>
      entries >= MOST_COUNTED ? `${MOST_COUNTED.toLocaleString('en')} or more` : entries.toLocaleString('en'),
  },
]

export default function KvPage() {
  const mayWrite = useMay('kv:write')
  const [isAdding, setAdding] = useState(false)
  const list = useRows<KvCollection>(['kv', 'collections'], (position, options) =>
    api.kv.collections(position, options),
  )
  const add = (kind: 'primary' | 'secondary') => (
    <Button
      kind={kind}
      refusal={!mayWrite && 'You need kv:write: ask an owner'}
      onClick={() => setAdding(true)}
    >
      <Plus size={14} aria-hidden="true" />
      Add an entry
    </Button>
  )
  return (
    <Page
      title="KV"
      lead="What scripts and applications remember: JSON values by collection and key. Triggers can run when an entry changes."
      actions={add('primary')}
    >
      <ListCard
        label="Collections"
        list={list}
        columns={COLUMNS}
        idOf={({ collection }) => collection}
        linkOf={({ collection }) => `/kv/${encodeURIComponent(collection)}`}
        empty={
          <Empty
            icon={Database}
            title="Nothing is remembered yet"
            text="A collection exists as soon as it has an entry, and is gone with its last one."
            command={`npx carillon kv set flags new_checkout true`}
            action={add('secondary')}
          />
        }
      />
      <NewEntryDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  )
}
