/** The columns of accepted intents. */
import type { Record as CarillonRecord } from '@carillon/contract'
import { ChannelChips } from '../../ui/channel.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/recipient.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

const SHOWN = 2

/** In a few words: the first people, and how many more. */
function Audience({ record }: { record: CarillonRecord }) {
  const { audience_kind, recipients, topic } = record
  if (audience_kind === 'tenant') return <span className="text-muted">Everybody</span>
  if (audience_kind === 'admin_email') return <span className="text-muted">The admins of the type</span>
  if (topic !== null && recipients.length === 0)
    return (
      <>
        <span className="text-muted">Topic </span>
        <bdi>{topic}</bdi>
      </>
    )
  const isPeople = audience_kind !== 'addresses'
  return (
    <span title={recipients.slice(0, 20).join(', ')}>
      {recipients.slice(0, SHOWN).map((recipient, i) => (
        <span key={recipient}>
          {i > 0 && ', '}
          {isPeople ? <Person userId={recipient} /> : <bdi>{recipient}</bdi>}
        </span>
      ))}
      {recipients.length > SHOWN && (
        <span className="text-muted"> and {(recipients.length - SHOWN).toLocaleString('en')} more</span>
      )}
      {recipients.length === 0 && <span className="text-muted">–</span>}
    </span>
  )
}

export const RECORD_COLUMNS: Column<CarillonRecord>[] = [
  {
    title: 'Time',
    width: 'w-28',
    cell: ({ accepted_at }) => <Time value={accepted_at} />,
    csv: ({ accepted_at }) => accepted_at,
  },
  {
    title: 'Type',
    width: 'w-48 max-md:w-auto',
    cell: ({ notification_type, cancelled_at }) => (
      <span title={notification_type}>
        <b className="font-medium">{notification_type}</b>
        {cancelled_at && <span className="text-muted"> cancelled</span>}
      </span>
    ),
    csv: ({ notification_type }) => notification_type,
  },
  {
    title: 'To',
    cell: record => <Audience record={record} />,
    csv: ({ audience_kind, recipients }) => `${audience_kind}: ${recipients.join(' ')}`,
  },
  {
    title: 'Channels',
    width: 'w-56',
    from: 'lg',
    cell: ({ channels }) => <ChannelChips channels={channels} />,
    csv: ({ channels }) => channels.join(' '),
  },
  {
    title: 'Reason',
    width: 'w-28',
    from: 'lg',
    cell: ({ reason }) => reason && <Chip>{reason}</Chip>,
    csv: ({ reason }) => reason,
  },
  {
    title: 'Producer',
    width: 'w-24',
    from: 'xl',
    cell: ({ producer }) => producer,
    csv: ({ producer }) => producer,
  },
  {
    title: 'Source',
    width: 'w-24',
    from: 'xl',
    cell: ({ source }) => source,
    csv: ({ source }) => source,
  },
]
