import type { CapturedMessage } from '@carillon/contract'
import { ArrowLeft } from 'lucide-react'
import { addressOf } from '../../shell/addresses.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Id } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { MessageView } from '../../ui/message-view.tsx'
import { Facts } from '../../ui/page.tsx'
import { Person, readRecipient } from '../../ui/recipient.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ShortTime } from '../../ui/time.tsx'

export function MessagePane({ message, onBack }: { message: CapturedMessage; onBack(): void }) {
  const { notification_id, notification_type, recipient_ref, channel, captured_at } = message
  const { userId, name } = readRecipient(recipient_ref)
  return (
    <article aria-label={`${CHANNEL_NAMES[channel]} message`} className="flex min-w-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-border px-4 py-2">
        <Button kind="quiet" size="small" className="mr-auto -ml-2 md:hidden" onClick={onBack}>
          <ArrowLeft size={14} aria-hidden="true" />
          All messages
        </Button>
        <span className="min-w-0 flex-1 break-words text-muted max-md:order-last max-md:basis-full">
          {CHANNEL_NAMES[channel]} for{' '}
          {userId === undefined ? <bdi>{name}</bdi> : <Person userId={userId} className="underline" />},{' '}
          <TextLink to={addressOf('notification_type', notification_type)} className="underline">
            {notification_type}
          </TextLink>
          , <ShortTime value={captured_at} />
        </span>
        <LinkButton
          size="small"
          to={`/activity/${notification_id}`}
          search={userId === undefined ? {} : { person: userId }}
        >
          Why it was sent
        </LinkButton>
      </div>
      <div className="flex flex-col gap-4 p-4">
        <MessageView key={message.message_id} message={{ ...message, at: captured_at }} />
        <details>
          <summary className="text-muted marker:text-muted">Details</summary>
          <div className="mt-3 flex flex-col gap-4">
            <Facts
              facts={[
                ['Message', <Id key="message" value={message.message_id} />],
                ['Notification', <Id key="notification" value={notification_id} />],
                ['Route', <Id key="route" value={message.route_id} />],
                ['Address', message.address && <bdi>{message.address}</bdi>],
                ['Locale', message.locale],
              ]}
            />
            <JsonView value={message} />
          </div>
        </details>
      </div>
    </article>
  )
}
