/** What has to be known of a route to write its message. */
import type { Channel } from '@carillon/contract'
import type { Device } from './message.ts'

export interface MessageRoute {
  tenant_id: string
  notification_id: string
  route_id: string
  channel: Channel
  notification_type: string
  /** Of the notification type; '' without one. */
  category: string
  critical: boolean
  recipient_ref: string
  /** null for plain addresses. */
  user_id: string | null
  resolved_address: string
  resolved_locale: string
  /** Dates are written by this clock. Whoever asks resolves it: preferences are not known here. */
  timezone: string
  /** null without a template. */
  template_version_id: string | null
  payload_json: string
  /** The digest it belongs to; its own id on the digest itself. */
  digest_id: string | null
  /** null on channels other than push. */
  devices: Device[] | null
  request_id: string
  traceparent: string
}

export type Payload = Record<string, unknown>

/** A digest is sent under its own id. */
export function isDigest(route: Pick<MessageRoute, 'digest_id' | 'notification_id'>): boolean {
  return route.digest_id === route.notification_id
}

/** What a digest carries as its payload, beside the fields of its first item. */
export interface DigestPayload extends Payload {
  /** The first ones. */
  items: Payload[]
  /** How many there are altogether. */
  count: number
}
