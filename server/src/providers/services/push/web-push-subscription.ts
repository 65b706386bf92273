/** A browser's push subscription. It comes from outside, so it is checked carefully. */
import { z } from 'zod'

const Subscription = z.object({
  // The protocol allows only https (RFC 8030, 3). The old GCM endpoints ended with GCM and took other credentials.
  endpoint: z
    .url({ protocol: /^https$/ })
    .max(2048)
    .refine(url => !url.startsWith('https://android.googleapis.com/gcm/')),
  keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
})
export type Subscription = z.infer<typeof Subscription>

/** undefined if no message could ever be sent to it. */
export function readSubscription(token: string): Subscription | undefined {
  try {
    return Subscription.safeParse(JSON.parse(token)).data
  } catch {
    return undefined
  }
}

/** Some libraries add padding. */
function base64url(bytes: number) {
  return z.string().refine(text => isBase64url(text.replace(/=+$/, ''), bytes))
}

/** Exactly this many bytes, without padding. */
export function isBase64url(text: string, bytes: number): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').byteLength === bytes
}
