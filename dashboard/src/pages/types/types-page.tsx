/** The catalog: what kinds of notifications there are, and what people call their groups. */
import type { NotificationType } from '@carillon/contract'
import { Plus, Shapes } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNEL_OPTIONS } from '../../ui/channel.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { saySpan } from '../../ui/duration.ts'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Chip } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { onePage, useRows } from '../../ui/use-rows.ts'
import { CategoriesTab } from './categories-tab.tsx'
import { NewType } from './new-type.tsx'

export const typePath = (name: string): string => `/types/${encodeURIComponent(name)}`

export default function TypesPage() {
  const may = useMay('types:write')
  const [isNew, setNew] = useState(false)
  return (
    <Page
      title="Types"
      lead="A type says who may send a notification, on which channels it goes out, and when it waits. Producers name it in every intent."
      actions={
        <Button
          kind="primary"
          onClick={() => setNew(true)}
          refusal={!may && 'You need types:write: ask an owner.'}
        >
          <Plus size={14} aria-hidden="true" />
          Create a type
        </Button>
      }
    >
      <Tabs
        label="Catalog"
        tabs={[
          { value: 'types', title: 'Types', content: <TypesTab onNew={() => setNew(true)} /> },
          { value: 'categories', title: 'Categories', content: <CategoriesTab /> },
        ]}
      />
      {isNew && <NewType onClose={() => setNew(false)} />}
    </Page>
  )
}

function TypesTab({ onNew }: { onNew(): void }) {
  const may = useMay('types:write')
  const filters = useFilters(['search', 'channel', 'category'])
  const { search = '', channel, category } = filters.values
  const list = useRows<NotificationType>(['notification-types', 'rows'], async (_position, options) =>
    onePage(await api.notificationTypes.list(options)),
  )
  const fits = (type: NotificationType) =>
    `${type.name} ${type.description}`.toLowerCase().includes(search.toLowerCase()) &&
    (channel === undefined || type.channels.some(each => each === channel)) &&
    (category === undefined || type.category === category)
  const categories = [...new Set((list.rows ?? []).map(type => type.category))].filter(Boolean).sort()
  return (
    <ListCard
      label="Types"
      list={{ ...list, rows: list.rows?.filter(fits) }}
      columns={COLUMNS}
      idOf={({ name }) => name}
      linkOf={({ name }) => typePath(name)}
      filters={filters}
      search={{ name: 'search', placeholder: 'Search names and descriptions' }}
      choices={[
        { name: 'channel', label: 'Channel', options: CHANNEL_OPTIONS },
        { name: 'category', label: 'Category', options: categories.map(value => ({ value, label: value })) },
      ]}
      empty={
        <Empty
          icon={Shapes}
          title="The catalog is empty"
          text="Intents of unknown types are accepted as long as the settings allow it. A type adds rules: channels, waiting, digests, escalation."
          command={
            'npx carillon send order_shipped --to ada --channel email --payload \'{"subject": "Hello"}\''
          }
          action={may && <Button onClick={onNew}>Create a type</Button>}
        />
      }
    />
  )
}

const COLUMNS: Column<NotificationType>[] = [
  {
    title: 'Name',
    cell: ({ name, description }) => (
      <span className="flex min-w-0 items-baseline gap-3">
        <span className="cut max-w-full shrink-0" title={name}>
          {name}
        </span>
        <span className="cut min-w-0 text-muted max-md:hidden" title={description}>
          {description}
        </span>
      </span>
    ),
    csv: ({ name }) => name,
  },
  {
    title: 'Channels',
    cell: ({ channels, escalate }) => (
      <span className="flex flex-wrap gap-1 whitespace-normal">
        {channels.map(channel => (
          <Chip key={channel}>{CHANNEL_NAMES[channel]}</Chip>
        ))}
        {escalate.map(({ channel, after }) => (
          <Chip key={channel} className="border-dashed">
            {CHANNEL_NAMES[channel]} after {saySpan(after * 1000)}
          </Chip>
        ))}
      </span>
    ),
    csv: ({ channels }) => channels.join(', '),
    width: 'w-[45%] md:w-[30%] lg:w-[24%]',
  },
  {
    title: 'Category',
    cell: ({ category }) => category || <span className="text-muted">–</span>,
    csv: ({ category }) => category,
    width: 'w-32',
    from: 'md',
  },
  {
    title: 'Rules',
    cell: type => <Rules type={type} />,
    csv: type => rulesOf(type).join(', '),
    width: 'w-56',
    from: 'lg',
  },
  {
    title: 'Changed',
    cell: ({ updated_at }) => <Time value={updated_at} className="text-muted" />,
    csv: ({ updated_at }) => updated_at,
    width: 'w-28',
    from: 'lg',
  },
]

function Rules({ type }: { type: NotificationType }) {
  return (
    <span className="flex gap-1">
      {rulesOf(type).map(rule => (
        <Chip key={rule} {...(rule === 'critical' && { tone: 'warn' as const })}>
          {rule}
        </Chip>
      ))}
    </span>
  )
}

function rulesOf({ critical, digest, throttle, delay }: NotificationType): string[] {
  return [
    ...(critical ? ['critical'] : []),
    ...(digest ? [`digest ${saySpan(digest.window * 1000)}`] : []),
    ...(throttle ? [`${throttle.max} per ${saySpan(throttle.per * 1000).replace(/^1 /, '')}`] : []),
    ...(delay > 0 ? [`waits ${saySpan(delay * 1000)}`] : []),
  ]
}
