/** The mails about threads and events that the person got. */
import type { LoggedEmail } from '@carillon/contract'
import { MailCheck } from 'lucide-react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Id } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Time } from '../../ui/time.tsx'
import { useRows } from '../../ui/use-rows.ts'
import { MissingScope } from './missing-scope.tsx'

const COLUMNS: Column<LoggedEmail>[] = [
  {
    title: 'Sent',
    width: 'w-28',
    cell: ({ sent_at }) => <Time value={sent_at} />,
    csv: ({ sent_at }) => sent_at,
  },
  {
    title: 'About',
    cell: ({ thread }) =>
      thread === null ? (
        <span className="text-muted">an event</span>
      ) : (
        <>
          <span className="text-muted">{thread.kind}</span> <bdi className="font-medium">{thread.id}</bdi>
        </>
      ),
    csv: ({ thread }) => thread && `${thread.kind}/${thread.id}`,
  },
  {
    title: 'Message-ID',
    from: 'md',
    cell: ({ message_id }) => <Id value={message_id} />,
    csv: ({ message_id }) => message_id,
  },
]

export function EmailLogTab({ userId }: { userId: string }) {
  const mayRead = useMay('email_log:read')
  const list = useRows(
    ['email-log', userId],
    (position, options) => api.emailLog.list({ user_id: userId, ...position }, options),
    { enabled: mayRead },
  )
  if (!mayRead) return <MissingScope scope="email_log:read" />
  return (
    <ListCard
      label="Email log"
      list={list}
      columns={COLUMNS}
      idOf={({ id }) => id}
      linkOf={({ notification_id }) => `/activity/${notification_id}`}
      empty={
        <Empty
          icon={MailCheck}
          title="No mails about threads or events"
          text="Each mail about a thread or an event that was handed to a provider is kept here, so that replies find their way back. Other mails are under Everything sent."
        />
      }
    />
  )
}
