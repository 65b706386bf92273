/**
 * What every push message contains, whichever service delivers it: a preview of the text, and what the app needs. The
 * payload's field `push` says more about the notification itself; what is not valid in it is left out.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import { cut } from '../../../platform/text/cut.ts'

export interface PushContent {
  title: string
  body: string
  /** For the app; the same on every device of the person. Texts only, as FCM takes nothing else. */
  data: {
    message_id: string
    notification_id: string
    type: string
    /** Where a tap leads to. */
    url?: string
    image?: string
    /** The payload as JSON, if there is room for it; the app can read it by notification_id otherwise. */
    payload?: string
  }
}

/** What the notification looks like. */
export interface PushLook {
  image?: string
  /** The number on the app's icon. */
  badge?: number
  /** Android's notification channel. */
  channel_id?: string
}

const Hints = z.object({
  url: optional(z.string().min(1).max(400)),
  image: optional(z.url({ protocol: /^https$/ }).max(400)),
  badge: optional(z.int().min(0).max(99_999)),
  channel_id: optional(z.string().min(1).max(100)),
})

function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined)
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
/** With the payload; the rest is for what each service adds. */
const MAX_CONTENT_BYTES = 3000

export function pushContent(message: Message): PushContent {
  const { url, image } = hintsIn(message)
  const content: PushContent = {
    title: cut(message.subject, MAX_TITLE_BYTES, 'json', '…'),
    body: cut(message.text, MAX_BODY_BYTES, 'json', '…'),
    data: {
      message_id: message.message_id,
      notification_id: message.notification_id,
      type: message.notification_type,
      ...(url && { url }),
      ...(image && { image }),
    },
  }
  const payload = payloadFor(message)
  if (payload === undefined) return content
  const complete = { ...content, data: { ...content.data, payload } }
  return Buffer.byteLength(JSON.stringify(complete)) <= MAX_CONTENT_BYTES ? complete : content
}

export function pushLook(message: Message): PushLook {
  const { image, badge, channel_id } = hintsIn(message)
  return {
    ...(image !== undefined && { image }),
    ...(badge !== undefined && { badge }),
    ...(channel_id !== undefined && { channel_id }),
  }
}

/** How long the service keeps it: never longer than it is of use. */
export function ttlOf({ expires_at }: Message, ttlSeconds: number, now: () => number): number {
  if (expires_at === null) return ttlSeconds
  const left = Math.floor((Date.parse(expires_at) - now()) / 1000)
  return Math.min(ttlSeconds, Math.max(0, left))
}

function hintsIn({ payload }: Message): z.infer<typeof Hints> {
  return Hints.safeParse((payload as { push?: unknown } | null)?.push).data ?? {}
}

/** Without what is meant for us; undefined if nothing is left. */
function payloadFor({ payload }: Message): string | undefined {
  const { push: _, ...rest } = (payload ?? {}) as Record<string, unknown>
  return Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest)
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
