/** What a browser gave us to reach it. It comes from outside, so it is read with care. */
import { z } from 'zod'

const Subscription = z.object({
  // The protocol knows https only (RFC 8030, 3). The old GCM endpoints ended with GCM and took other credentials.
  endpoint: z
    .url({ protocol: /^https$/ })
    .max(2048)
    .refine(url => !url.startsWith('https://android.googleapis.com/gcm/')),
  keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
})
export type Subscription = z.infer<typeof Subscription>

/** Undefined for anything no message could ever be sent to. */
export function readSubscription(token: string): Subscription | undefined {
  try {
    return Subscription.safeParse(JSON.parse(token)).data
  } catch {
    return undefined
  }
}

/** Some libraries pad what they pass on. */
function base64url(bytes: number) {
  return z.string().refine(text => isBase64url(text.replace(/=+$/, ''), bytes))
}

/** Exactly so many bytes, without padding. */
export function isBase64url(text: string, bytes: number): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').byteLength === bytes
}
