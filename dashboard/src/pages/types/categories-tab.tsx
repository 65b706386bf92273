/** What people switch on and off together, with the names they read. */
import type { Category } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Layers, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Chip } from '../../ui/status.tsx'
import { onePage, useRows } from '../../ui/use-rows.ts'
import { EditCategory } from './edit-category.tsx'

const REFUSAL = 'You need types:write: ask an owner.'

/** Those that a type names belong to the list too, even if nobody has described them. */
export interface CategoryRow {
  category: string
  described: Category | undefined
  types: string[]
}

export function CategoriesTab() {
  const may = useMay('types:write')
  const [edited, setEdited] = useState<CategoryRow | 'new'>()
  const types = useQuery({
    queryKey: ['notification-types'],
    queryFn: ({ signal }) => api.notificationTypes.list({ signal }),
  })
  const list = useRows<Category>(['categories', 'rows'], async (_position, options) =>
    onePage(await api.categories.list(options)),
  )
  const rows = list.rows && rowsOf(list.rows, types.data?.data ?? [])
  return (
    <>
      <ListCard
        label="Categories"
        list={{ ...list, rows, fetchPage: async () => onePage({ data: rows ?? [] }) }}
        columns={COLUMNS}
        idOf={({ category }) => category}
        onOpen={row => setEdited(row)}
        actions={
          <Button kind="quiet" size="small" onClick={() => setEdited('new')} refusal={!may && REFUSAL}>
            <Plus size={14} aria-hidden="true" />
            Create a category
          </Button>
        }
        empty={
          <Empty
            icon={Layers}
            title="There are no categories yet"
            text="A category is a line on people’s preference page: they switch all its notifications on or off together."
            action={may && <Button onClick={() => setEdited('new')}>Create a category</Button>}
          />
        }
      />
      {edited && (
        <EditCategory row={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

function rowsOf(described: Category[], types: { name: string; category: string }[]): CategoryRow[] {
  const names = new Set([
    ...described.map(({ category }) => category),
    ...types.map(({ category }) => category),
  ])
  names.delete('')
  return [...names].map(category => ({
    category,
    described: described.find(each => each.category === category),
    types: types.filter(type => type.category === category).map(({ name }) => name),
  }))
}

const COLUMNS: Column<CategoryRow>[] = [
  {
    title: 'Category',
    cell: ({ category }) => category,
    csv: ({ category }) => category,
    width: 'w-1/3 md:w-44',
  },
  {
    title: 'What people read',
    cell: ({ described }) =>
      described ? (
        <span className="flex min-w-0 items-center gap-2">
          <span className="shrink-0">{described.name}</span>
          {described.required && <Chip tone="info">always sent</Chip>}
          <span className="cut text-muted max-md:hidden">{described.description}</span>
        </span>
      ) : (
        <span className="text-muted">Not described: made from its own name</span>
      ),
    csv: ({ described }) => described?.name ?? '',
  },
  {
    title: 'Types',
    cell: ({ types }) => <span title={types.join(', ')}>{types.join(', ') || '–'}</span>,
    csv: ({ types }) => types.join(', '),
    width: 'w-1/4',
    from: 'md',
  },
  {
    title: 'Position',
    cell: ({ described }) => described?.position ?? '–',
    csv: ({ described }) => described?.position,
    isNumber: true,
    width: 'w-24',
    from: 'lg',
  },
]
