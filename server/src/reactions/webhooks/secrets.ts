/**
 * What a webhook keeps secret: the keys that sign, and the values of custom headers. One encrypted text bound to its row.
 * During a rotation the old key signs as well, until its grace period is over.
 */
import { randomBytes } from 'node:crypto'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type SealedRow, seal, unseal } from '../../platform/secrets/sealed-rows.ts'

export interface WebhookSecrets {
  /** The newest first; only it has no end. */
  signing: { secret: string; expires_at: string | null }[]
  headers: Record<string, string>
}

/** Standard Webhooks asks for 24 to 64 random bytes. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The secrets that sign at this moment. */
export function signingSecrets({ signing }: WebhookSecrets, now: number): string[] {
  return signing.filter(entry => isAlive(entry, now)).map(({ secret }) => secret)
}

/** Puts a new secret in front. The one before it signs for a while, older ones no more. */
export function withNewSecret(
  secrets: WebhookSecrets,
  secret: string,
  graceSeconds: number,
  now: number,
): WebhookSecrets {
  const expires_at = new Date(now + graceSeconds * 1000).toISOString()
  const old = secrets.signing
    .filter(entry => isAlive(entry, now))
    .map(entry => ({ ...entry, expires_at: earlier(entry.expires_at, expires_at) }))
  return { ...secrets, signing: [{ secret, expires_at: null }, ...(graceSeconds > 0 ? old : [])] }
}

/** Until when a secret of an earlier rotation still signs; null when none does. */
export function graceEnd({ signing }: WebhookSecrets, now: number): string | null {
  const ends = signing.flatMap(entry =>
    entry.expires_at !== null && isAlive(entry, now) ? [entry.expires_at] : [],
  )
  return ends.sort().at(-1) ?? null
}

export function sealSecrets(keyring: Keyring, tenantId: string, id: string, secrets: WebhookSecrets): string {
  return seal(keyring, 'notification_webhooks', { tenant_id: tenantId, id }, secrets)
}

export function unsealSecrets(keyring: Keyring, row: SealedRow): WebhookSecrets {
  return unseal(keyring, 'notification_webhooks', row) as WebhookSecrets
}

const isAlive = ({ expires_at }: { expires_at: string | null }, now: number): boolean =>
  expires_at === null || Date.parse(expires_at) > now
const earlier = (a: string | null, b: string): string => (a !== null && a < b ? a : b)
