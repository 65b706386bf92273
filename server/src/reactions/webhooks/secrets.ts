/**
 * The secrets of a webhook: signing secrets and the values of custom headers, stored as one encrypted text that is
 * bound to its row. After a rotation the old secret also signs until the grace period is over.
 */
import { randomBytes } from 'node:crypto'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type SealedRow, seal, unseal } from '../../platform/secrets/sealed-rows.ts'

export interface WebhookSecrets {
  /** Newest first; only that one never expires. */
  signing: { secret: string; expires_at: string | null }[]
  headers: Record<string, string>
}

/** Standard Webhooks asks for 24 to 64 random bytes. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The secrets to sign with at this moment. */
export function signingSecrets({ signing }: WebhookSecrets, nowMs: number): string[] {
  return signing.filter(entry => isValid(entry, nowMs)).map(({ secret }) => secret)
}

/** Adds a new secret. The old ones also sign until the grace period ends, but not for longer than they would have. */
export function withNewSecret(
  secrets: WebhookSecrets,
  secret: string,
  graceSeconds: number,
  nowMs: number,
): WebhookSecrets {
  const expires_at = new Date(nowMs + graceSeconds * 1000).toISOString()
  const old = secrets.signing
    .filter(entry => isValid(entry, nowMs))
    .map(entry => ({ ...entry, expires_at: earlier(entry.expires_at, expires_at) }))
  return { ...secrets, signing: [{ secret, expires_at: null }, ...(graceSeconds > 0 ? old : [])] }
}

/** When the last of the old secrets stops signing; null if none signs any more. */
export function graceEndsAt({ signing }: WebhookSecrets, nowMs: number): string | null {
  const ends = signing.flatMap(entry =>
    entry.expires_at !== null && isValid(entry, nowMs) ? [entry.expires_at] : [],
  )
  return ends.sort().at(-1) ?? null
}

export function sealSecrets(keyring: Keyring, tenantId: string, id: string, secrets: WebhookSecrets): string {
  return seal(keyring, 'notification_webhooks', { tenant_id: tenantId, id }, secrets)
}

export function unsealSecrets(keyring: Keyring, row: SealedRow): WebhookSecrets {
  return unseal(keyring, 'notification_webhooks', row) as WebhookSecrets
}

const isValid = ({ expires_at }: { expires_at: string | null }, nowMs: number): boolean =>
  expires_at === null || Date.parse(expires_at) > nowMs
const earlier = (a: string | null, b: string): string => (a !== null && a < b ? a : b)
