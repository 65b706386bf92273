/** Webhooks: the endpoints of a tenant with their settings and secrets, disabling and enabling them. */
import type { CreatedWebhook, NewWebhook, StreamKind, Webhook, WebhookChanges } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { AddressGuard } from '../../platform/outgoing/address-guard.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { makeWaitingDue } from '../outbox/wait.ts'
import { type OutputStreams, streamOf } from '../output-streams/output-streams.ts'
import {
  deleteWebhook,
  insertWebhook,
  selectWebhook,
  selectWebhookWithWaiting,
  updateSecrets,
  updateWebhook,
  type WebhookRow,
  type WebhookWithWaitingRow,
} from './queries.ts'
import { graceEndsAt, newSigningSecret, sealSecrets, unsealSecrets, withNewSecret } from './secrets.ts'

export interface WebhookParts {
  keyring: Keyring
  guard: AddressGuard
  streams: Pick<OutputStreams, 'has'>
}

/** The source_kind of its rows in the outbox. */
export const WEBHOOK_KIND = 'webhook'

/** The system event that is raised when Carillon disables a webhook. */
export const DISABLED_EVENT = 'webhook_disabled'

export async function createWebhook(
  db: Executor,
  parts: WebhookParts,
  tenantId: string,
  input: z.output<typeof NewWebhook>,
): Promise<CreatedWebhook> {
  refuseForbiddenUrl(parts, input.url)
  const id = uuidv7()
  const { secret = newSigningSecret(), headers, ...row } = input
  const secrets = sealSecrets(parts.keyring, tenantId, id, {
    signing: [{ secret, expires_at: null }],
    headers,
  })
  await insertWebhook(db, tenantId, { ...row, id, secrets }).catch(refuseUnknownUser)
  return { ...(await getWebhook(db, parts, tenantId, id)), secret }
}

export async function getWebhook(
  db: Executor,
  { keyring }: WebhookParts,
  tenantId: string,
  id: string,
): Promise<Webhook> {
  const row = await selectWebhookWithWaiting(db, tenantId, id)
  if (row === undefined) throw notFound(`webhook ${id}`)
  return toWebhook(row, keyring)
}

/** Stays as it is until the transaction ends: deliveries that end in the meantime are counted afterwards. */
export async function lockWebhook(
  tx: Client,
  parts: WebhookParts,
  tenantId: string,
  id: string,
): Promise<Webhook> {
  await lockRow(tx, tenantId, id)
  return getWebhook(tx, parts, tenantId, id)
}

/** Activating it resolves the system event about it; ending a pause makes what waited due. */
export async function changeWebhook(
  tx: Client,
  parts: WebhookParts,
  tenantId: string,
  id: string,
  { headers, ...given }: WebhookChanges,
): Promise<Webhook> {
  if (given.url !== undefined) refuseForbiddenUrl(parts, given.url)
  const row = await lockRow(tx, tenantId, id)
  if (headers === undefined) refuseRedirect(given.url ?? row.url, row, parts.keyring)
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const secrets =
    headers === undefined
      ? row.secrets
      : sealSecrets(parts.keyring, tenantId, id, { ...unsealSecrets(parts.keyring, row), headers })
  await updateWebhook(tx, tenantId, id, { ...row, ...changes, secrets })
  if (given.is_active && !row.is_active) await resolveSystemEvents(tx, tenantId, DISABLED_EVENT, id)
  if (given.is_paused === false && row.is_paused) await makeWaitingDue(tx, tenantId, WEBHOOK_KIND, id)
  return getWebhook(tx, parts, tenantId, id)
}

export async function rotateSecret(
  tx: Client,
  parts: WebhookParts,
  tenantId: string,
  id: string,
  { secret = newSigningSecret(), grace_seconds }: { secret?: string | undefined; grace_seconds: number },
): Promise<CreatedWebhook> {
  const row = await lockRow(tx, tenantId, id)
  const rotated = withNewSecret(unsealSecrets(parts.keyring, row), secret, grace_seconds, Date.now())
  await updateSecrets(tx, tenantId, id, sealSecrets(parts.keyring, tenantId, id, rotated))
  return { ...(await getWebhook(tx, parts, tenantId, id)), secret }
}

/** Returns the webhook as it was. */
export async function removeWebhook(
  tx: Client,
  parts: WebhookParts,
  tenantId: string,
  id: string,
): Promise<Webhook> {
  const webhook = await lockWebhook(tx, parts, tenantId, id)
  await deleteWebhook(tx, tenantId, id)
  return webhook
}

/** What is sent to a webhook that is switched off would only become a dead letter. */
export async function requireActiveWebhook(db: Executor, tenantId: string, id: string): Promise<void> {
  const isActive = await isWebhookActive(db, tenantId, id)
  if (isActive === undefined) throw notFound(`webhook ${id}`)
  if (!isActive) throw notActive()
}

export const notActive = (): Refusal =>
  new Refusal('not_active', 'The webhook is not active. Enable it first: PATCH it with {"is_active": true}.')

/** undefined if there is no such webhook. */
export async function isWebhookActive(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<boolean | undefined> {
  return (await selectWebhook(db, tenantId, id))?.is_active
}

async function lockRow(tx: Client, tenantId: string, id: string): Promise<WebhookRow> {
  const row = await selectWebhook(tx, tenantId, id, 'for update')
  if (row === undefined) throw notFound(`webhook ${id}`)
  return row
}

export function toWebhook(row: WebhookWithWaitingRow, keyring: Keyring): Webhook {
  const { tenant_id: _, secrets, ...shown } = row
  const unsealed = unsealSecrets(keyring, { ...row, secrets })
  return {
    ...shown,
    headers: Object.keys(unsealed.headers),
    secret_expires_at: graceEndsAt(unsealed, Date.now()),
    disabled_at: row.disabled_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Host names are checked when they are resolved; an IP address in the URL can be refused at once. */
function refuseForbiddenUrl({ guard, streams }: WebhookParts, url: string): void {
  const stream = streamOf(url)
  const objection = stream === undefined ? guard.objectsTo(new URL(url)) : objectionTo(streams, stream)
  if (objection === undefined) return
  throw new Refusal('invalid_request', `url: ${objection}.`, [{ field: 'url', message: `${objection}.` }])
}

function objectionTo(streams: WebhookParts['streams'], kind: StreamKind): string | undefined {
  if (streams.has(kind)) return undefined
  return `This Carillon publishes to no such stream; its operator can set CARILLON_OUTPUT_${kind.toUpperCase()}_URL`
}

/** Whoever changes where the headers go must know them, or they could have them sent to themselves. */
function refuseRedirect(url: string, row: WebhookRow, keyring: Keyring): void {
  if (url === row.url || Object.keys(unsealSecrets(keyring, row).headers).length === 0) return
  const message = 'Give the headers again: with another url they would go somewhere else.'
  throw new Refusal('invalid_request', `headers: ${message}`, [{ field: 'headers', message }])
}

function refuseUnknownUser(error: unknown): never {
  if (!isDatabaseError(error, 'foreign_key_violation')) throw error
  throw new Refusal('recipient_not_found', 'There is no such user.', [
    { field: 'user_id', message: 'Name an existing user.' },
  ])
}
