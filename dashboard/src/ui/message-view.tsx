/** A message as the person sees it on its channel. */
import { MailView } from './mail-view.tsx'
import type { Message } from './message-options.tsx'
import { ChatMessage, InboxMessage, LockScreen, TextMessage } from './phone-messages.tsx'

export function MessageView({ message }: { message: Message }) {
  switch (message.channel) {
    case 'email':
      return <MailView message={message} />
    case 'sms':
      return <TextMessage message={message} />
    case 'push':
      return <LockScreen message={message} />
    case 'in_app':
      return <InboxMessage message={message} />
    default:
      return <ChatMessage message={message} />
  }
}
