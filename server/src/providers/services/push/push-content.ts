/** What every push message contains, whichever service delivers it: a preview of the text, and the ids the app needs. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import { cut } from '../../../platform/text/cut.ts'

export interface PushContent {
  title: string
  body: string
  /** For the app; the same on every device of the person. */
  data: { message_id: string; notification_id: string; type: string }
}

/** How long a service keeps the message for a device that is off; four weeks is the most that all of them accept. */
export const TtlSeconds = z
  .int()
  .min(0)
  .max(2_419_200)
  .default(2_419_200)
  .describe('How long the service keeps a message for a device that is off')

/** The services accept 4 KB in total, web push a little less once encrypted; the whole text is in the inbox. */
const MAX_TITLE_BYTES = 300
const MAX_BODY_BYTES = 1800

export function pushContent(message: Message): PushContent {
  return {
    title: cut(message.subject, MAX_TITLE_BYTES, 'json', '…'),
    body: cut(message.text, MAX_BODY_BYTES, 'json', '…'),
    data: {
      message_id: message.message_id,
      notification_id: message.notification_id,
      type: message.notification_type,
    },
  }
}

/** Until when Apple keeps trying, in seconds since 1970; 0 means one try, now. */
export function expiration(ttlSeconds: number, now: () => number): string {
  return String(ttlSeconds === 0 ? 0 : Math.floor(now() / 1000) + ttlSeconds)
}

/** 32 characters that are safe in every header. Services replace a message with a later one that has the same key. */
export function collapseKey({ message_id }: Message): string {
  return createHash('sha256').update(message_id).digest('base64url').slice(0, 32)
}

/** The same UUID for the same parts, of the version that RFC 9562 leaves to the application (8). */
export function stableUuid(...parts: string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
