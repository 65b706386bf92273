/** The topics that the person watches or ignores. */
import type { Watch } from '@carillon/contract'
import { Eye } from 'lucide-react'
import { api } from '../../app/api.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useRows } from '../../ui/use-rows.ts'

const LEVELS: Record<Watch['level'], string> = {
  all: 'everything',
  participating: 'what concerns them',
  ignore: 'ignores it',
}

const COLUMNS: Column<Watch>[] = [
  {
    title: 'Topic',
    cell: ({ topic }) => <bdi className="font-medium">{topic}</bdi>,
    csv: ({ topic }) => topic,
  },
  {
    title: 'Hears of',
    width: 'w-44',
    cell: ({ level }) => <Status status={level === 'ignore' ? 'inactive' : 'active'} label={LEVELS[level]} />,
    csv: ({ level }) => level,
  },
  {
    title: 'Kinds besides',
    from: 'md',
    cell: ({ kinds }) => <span className="text-muted">{kinds.join(', ')}</span>,
    csv: ({ kinds }) => kinds.join(' '),
  },
  {
    title: 'Why',
    from: 'md',
    width: 'w-44',
    cell: ({ is_automatic }) => (
      <span className="text-muted">{is_automatic ? 'came about by itself' : 'by their own choice'}</span>
    ),
    csv: ({ is_automatic }) => (is_automatic ? 'automatic' : 'chosen'),
  },
  {
    title: 'Changed',
    width: 'w-28',
    from: 'md',
    cell: ({ updated_at }) => <Time value={updated_at} />,
    csv: ({ updated_at }) => updated_at,
  },
]

export function Watches({ userId }: { userId: string }) {
  const list = useRows(['watches', 'of-person', userId], (position, options) =>
    api.topics.watchesOf(userId, position, options),
  )
  return (
    <ListCard
      label="Watches"
      list={list}
      columns={COLUMNS}
      idOf={({ topic }) => topic}
      empty={
        <Empty
          icon={Eye}
          title="Watches no topic"
          text="Whoever watches a topic hears of what happens in it; at which level stands here, also when they ignore it."
        />
      }
    />
  )
}
