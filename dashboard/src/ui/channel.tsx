/** The channels, by picture and name, the same everywhere. */
import type { Channel } from '@carillon/contract'
import {
  Inbox,
  type LucideIcon,
  Mail,
  MessageSquareText,
  MessagesSquare,
  Smartphone,
  Webhook,
} from 'lucide-react'
import { Chip } from './status.tsx'

export const CHANNELS = ['in_app', 'email', 'sms', 'push', 'chat', 'webhook'] as const satisfies Channel[]

export const CHANNEL_NAMES: Record<Channel, string> = {
  in_app: 'In-app',
  email: 'Email',
  sms: 'SMS',
  push: 'Push',
  chat: 'Chat',
  webhook: 'Webhook',
}

export const CHANNEL_ICONS: Record<Channel, LucideIcon> = {
  in_app: Inbox,
  email: Mail,
  sms: MessageSquareText,
  push: Smartphone,
  chat: MessagesSquare,
  webhook: Webhook,
}

/** For filters. */
export const CHANNEL_OPTIONS = CHANNELS.map(value => ({ value, label: CHANNEL_NAMES[value] }))

export function ChannelIcon({ channel, size = 14 }: { channel: Channel; size?: number }) {
  const Icon = CHANNEL_ICONS[channel]
  return <Icon size={size} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
}

export function ChannelName({ channel }: { channel: Channel }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap">
      <ChannelIcon channel={channel} />
      {CHANNEL_NAMES[channel]}
    </span>
  )
}

export function ChannelChips({ channels }: { channels: Channel[] }) {
  return (
    <span className="inline-flex gap-1 align-middle">
      {channels.map(channel => (
        <Chip key={channel}>{CHANNEL_NAMES[channel]}</Chip>
      ))}
    </span>
  )
}
