/** The columns of routes: one message to one person on one channel each. */
import type { Route } from '@carillon/contract'
import { ChannelName } from '../../ui/channel.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { sayReason } from '../../ui/reasons.ts'
import { Recipient } from '../../ui/recipient.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

/** Why it is not sent yet or at all, until when it waits, and what went wrong last. */
function Why({ route }: { route: Route }) {
  const { status, reason, next_attempt_at, last_error_message } = route
  const isWaiting = (status === 'pending' || status === 'retrying') && next_attempt_at !== null
  const parts = [
    reason && <span key="reason">{sayReason(reason)}</span>,
    isWaiting && <Countdown key="until" until={next_attempt_at} />,
    last_error_message && (
      <span key="error" className={status === 'sent' ? 'text-muted' : ''}>
        {last_error_message}
      </span>
    ),
  ].filter(Boolean)
  return (
    <span title={[reason && sayReason(reason), last_error_message].filter(Boolean).join(': ')}>
      {parts.flatMap((part, i) => (i === 0 ? [part] : [', ', part]))}
    </span>
  )
}

const STATUS: Column<Route> = {
  title: 'Status',
  width: 'w-28',
  cell: ({ status }) => <Status status={status} />,
  csv: ({ status }) => status,
}
const CHANNEL: Column<Route> = {
  title: 'Channel',
  width: 'w-24',
  cell: ({ channel }) => <ChannelName channel={channel} />,
  csv: ({ channel }) => channel,
}
const TO: Column<Route> = {
  title: 'To',
  width: 'w-44 max-md:w-auto',
  cell: ({ recipient_ref }) => <Recipient value={recipient_ref} />,
  csv: ({ recipient_ref }) => recipient_ref,
}
const ATTEMPTS: Column<Route> = {
  title: 'Attempts',
  width: 'w-20',
  isNumber: true,
  from: 'xl',
  cell: ({ attempt_count, max_attempts }) => `${attempt_count} / ${max_attempts}`,
  csv: ({ attempt_count }) => attempt_count,
}
const PROVIDER: Column<Route> = {
  title: 'Provider',
  width: 'w-28',
  from: 'xl',
  cell: ({ provider }) => provider || <span className="text-muted">–</span>,
  csv: ({ provider }) => provider,
}

const WHY: Column<Route> = {
  title: 'Why',
  from: 'md',
  cell: route => <Why route={route} />,
  csv: ({ reason, last_error_message }) => [reason, last_error_message].filter(Boolean).join(': '),
}
const TIME: Column<Route> = {
  title: 'Time',
  width: 'w-28',
  from: 'md',
  cell: ({ created_at }) => <Time value={created_at} />,
  csv: ({ created_at }) => created_at,
}

/** For the messages of one notification, which were made at the same time. */
export const ROUTE_COLUMNS_OF_RECORD = [STATUS, CHANNEL, TO, PROVIDER, ATTEMPTS, WHY]

/** For the list of all. */
export const ROUTE_COLUMNS = [TIME, ...ROUTE_COLUMNS_OF_RECORD]
