import type { DomainEvent } from '@carillon/contract'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/recipient.tsx'
import { Time } from '../../ui/time.tsx'

const NONE = <span className="text-muted">–</span>

export const EVENT_COLUMNS: Column<DomainEvent>[] = [
  {
    title: 'Time',
    width: 'w-28',
    cell: ({ created_at }) => <Time value={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    title: 'Kind',
    cell: ({ kind }) => (
      <b className="font-medium" title={kind}>
        {kind}
      </b>
    ),
    csv: ({ kind }) => kind,
  },
  {
    title: 'Who did it',
    width: 'w-40 max-md:w-24',
    cell: ({ actor_id }) =>
      actor_id === null ? <span className="text-muted">The system</span> : <Person userId={actor_id} />,
    csv: ({ actor_id }) => actor_id,
  },
  {
    title: 'Topic',
    width: 'w-40',
    from: 'md',
    cell: ({ topic }) => (topic === null ? NONE : <bdi title={topic}>{topic}</bdi>),
    csv: ({ topic }) => topic,
  },
  {
    title: 'Thread',
    from: 'lg',
    cell: ({ thread }) =>
      thread === null ? (
        NONE
      ) : (
        <>
          <span className="text-muted">
            {thread.kind} {thread.id}{' '}
          </span>
          <bdi>{thread.title}</bdi>
        </>
      ),
    csv: ({ thread }) => thread && `${thread.kind} ${thread.id}`,
  },
  {
    title: 'Producer',
    width: 'w-28',
    from: 'xl',
    cell: ({ producer }) => producer,
    csv: ({ producer }) => producer,
  },
  {
    title: 'Place',
    width: 'w-20',
    isNumber: true,
    from: 'lg',
    cell: ({ id }) => id?.toLocaleString('en') ?? NONE,
    csv: ({ id }) => id,
  },
]
