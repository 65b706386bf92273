/** What a message says and to whom: rendering produces it, providers and the inbox take it. */
import type { Channel, MessageOptions, ThreadRef } from '@carillon/contract'

/** What a message says. */
export interface MessageContent {
  subject: string
  text: string
  html: string | null
}

/** One message for one recipient on one channel, rendered and ready to send. */
export interface Message extends MessageContent {
  tenant_id: string
  notification_id: string
  route_id: string
  /** Derived from record and route, so a repeat after a crash has the same id and receivers can drop it. */
  message_id: string
  channel: Channel
  /** Also the template id for providers that render messages themselves. */
  notification_type: string
  recipient_ref: string
  /** The person's id in the caller's own system; null for plain addresses. */
  user_id: string | null
  /** Where to send: mail address, phone number, URL; '' on channels that address the user. */
  address: string
  locale: string
  payload: unknown
  /** Why the person gets it; '' if nobody said. */
  reason: string
  /** What it is about; null if that is no thread. */
  thread: ThreadRef | null
  /** Where that happens; null if nobody said. */
  topic: string | null
  /** What the intent says about its messages on this channel; missing if it says nothing. */
  options?: SendOptions
  /** Where a push goes; empty on the other channels. */
  devices: Device[]
  /** After this ISO time it is of no use any more; null if it always is. */
  expires_at: string | null
  /** A POST to it unsubscribes (RFC 8058); null where that is not possible. */
  unsubscribe_url: string | null
  /** Where a reply becomes part of the thread; null if it cannot. Whoever knows it writes as this person. */
  reply_to: string | null
  request_id: string
  traceparent: string
}

/** As shown to people, and with the contents of attachments. */
export interface SendOptions extends Omit<MessageOptions, 'attachments'> {
  attachments?: AttachedFile[] | undefined
}

export interface AttachedFile {
  filename: string
  content_type: string
  bytes: number
  content: Buffer
}

export function shownOptions(options: SendOptions | undefined): MessageOptions | null {
  if (options === undefined) return null
  const { attachments, ...rest } = options
  if (attachments === undefined) return rest
  return {
    ...rest,
    attachments: attachments.map(({ filename, content_type, bytes }) => ({ filename, content_type, bytes })),
  }
}

/** One app installation or browser of a person. */
export interface Device {
  id: string
  kind: DeviceKind
  /** The provider's registration token; for web push the subscription as JSON. */
  token: string
}

export type DeviceKind = 'fcm' | 'apns' | 'expo' | 'web_push'
