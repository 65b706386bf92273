/** What rendering needs to know about a route. */
import type { Channel, MessageOptions, ThreadRef } from '@carillon/contract'
import type { Device } from './message.ts'

export interface MessageRoute {
  tenant_id: string
  notification_id: string
  route_id: string
  channel: Channel
  notification_type: string
  /** The notification type's; '' if it has none. */
  category: string
  /** Nobody can leave the category. */
  required: boolean
  critical: boolean
  recipient_ref: string
  /** null for plain addresses. */
  user_id: string | null
  resolved_address: string
  resolved_locale: string
  /** For dates. Resolved by the caller, since preferences are not known here. */
  timezone: string
  /** null without a template. */
  template_version_id: string | null
  payload_json: string
  /** Of the route's channel; null or missing if the intent says nothing about it. */
  options?: MessageOptions | null
  /** Why the person gets it; '' or missing if nobody said. */
  intent_reason?: string
  /** null or missing for what is about nothing that others can take part in. */
  about?: About | null
  /** The digest it belongs to; on the digest's own route, equal to `notification_id`. */
  digest_id: string | null
  /** By the database's clock; null or missing without a deadline. */
  ms_to_deadline?: number | null
  /** null on channels other than push. */
  devices: Device[] | null
  request_id: string
  traceparent: string
}

/** What a notification is about, of those that have a thread or a topic, or come from an event. */
export interface About {
  thread: ThreadRef | null
  topic: string | null
  event_id: string | null
  /** Where replies to the tenant's mails arrive; null if they are not read. */
  reply_domain: string | null
}

export type Payload = Record<string, unknown>

/** A digest is sent under its own id. */
export function isDigest(route: Pick<MessageRoute, 'digest_id' | 'notification_id'>): boolean {
  return route.digest_id === route.notification_id
}

/** When the notification was accepted, or the digest opened: in milliseconds, which its UUIDv7 begins with. */
export function timeOfId(notificationId: string): number {
  return Number.parseInt(notificationId.replace('-', '').slice(0, 12), 16)
}

/** The payload of a digest, which also has the fields of its first item. */
export interface DigestPayload extends Payload {
  /** The first of them. */
  items: Payload[]
  /** How many there are altogether. */
  count: number
}
