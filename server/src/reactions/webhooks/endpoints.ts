/**
 * Endpoints ready to be called, with their secrets decrypted. They are fetched in batches and remembered for a second,
 * so a busy endpoint costs no query per event and a change takes effect without a restart.
 */
import { Webhook as Signer } from 'standardwebhooks'
import type { Pool } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import { createReserve, type Reserve } from '../../platform/rates/reserve.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type EndpointRow, selectEndpoints, type WebhookRow } from './queries.ts'
import { signingSecrets, unsealSecrets, type WebhookSecrets } from './secrets.ts'

export interface Endpoint {
  tenantId: string
  id: string
  url: string
  headers: Record<string, string>
  timeoutMs: number
  isActive: boolean
  isPaused: boolean
  format: WebhookRow['format']
  payloadMode: WebhookRow['payload_mode']
  /** Redacted from what is stored, in case the receiver echoes them. */
  secretTexts: string[]
  /** The header webhook-signature: one signature per secret that is valid now. */
  sign(eventId: string, at: Date, body: string): string
  reserve: Reserve
}

export interface EndpointDirectory {
  find(tenantId: string, id: string): Promise<Endpoint | undefined>
  /** Like find(), but never from memory if it is remembered as paused: an event that is put off now waits for minutes. */
  findForSending(tenantId: string, id: string): Promise<Endpoint | undefined>
}

export interface EndpointOptions {
  pool: Pool
  keyring: Keyring
  rememberMs?: number
  now?: () => number
}

interface Known {
  updatedAt: number
  endpoint: Endpoint
}

export function createEndpointDirectory(options: EndpointOptions): EndpointDirectory {
  const { pool, rememberMs = 1000, now = Date.now } = options
  const known = createMemory<Known | undefined>({ forMs: rememberMs, now })
  const loader = createBatcher<{ tenantId: string; id: string }, EndpointRow | undefined>({
    maxBatch: 500,
    async flush(wanted) {
      const unique = [...new Map(wanted.map(entry => [keyOf(entry.tenantId, entry.id), entry])).values()]
      const found = await selectEndpoints(pool, unique)
      const rows = new Map(found.map(row => [keyOf(row.tenant_id, row.id), row]))
      return wanted.map(({ tenantId, id }) => rows.get(keyOf(tenantId, id)))
    },
  })

  /** Rebuilds an endpoint only if its row has changed: decrypting secrets and creating signers is the slow part. */
  async function load(tenantId: string, id: string, before: Known | undefined): Promise<Known | undefined> {
    const row = await loader.add({ tenantId, id })
    if (row === undefined) return undefined
    const updatedAt = row.updated_at.getTime()
    const isPaused = row.is_paused || row.is_suspended
    if (before?.updatedAt === updatedAt) return { updatedAt, endpoint: { ...before.endpoint, isPaused } }
    return { updatedAt, endpoint: { ...toEndpoint(row, options.keyring, pool, now), isPaused } }
  }

  async function find(tenantId: string, id: string): Promise<Endpoint | undefined> {
    const found = await known.get(keyOf(tenantId, id), before => load(tenantId, id, before))
    return found?.endpoint
  }

  return {
    find,
    async findForSending(tenantId, id) {
      const remembered = await find(tenantId, id)
      if (!remembered?.isPaused) return remembered
      const row = await loader.add({ tenantId, id })
      if (row?.is_paused || row?.is_suspended) return remembered
      known.forget(keyOf(tenantId, id))
      return find(tenantId, id)
    },
  }
}

export function toEndpoint(row: WebhookRow, keyring: Keyring, pool: Pool, now: () => number): Endpoint {
  const secrets = unsealSecrets(keyring, row)
  return {
    tenantId: row.tenant_id,
    id: row.id,
    url: row.url,
    headers: secrets.headers,
    timeoutMs: row.timeout_seconds * 1000,
    isActive: row.is_active,
    isPaused: row.is_paused,
    format: row.format,
    payloadMode: row.payload_mode,
    secretTexts: [...Object.values(secrets.headers), ...secrets.signing.map(({ secret }) => secret)],
    sign: createSign(secrets, now),
    reserve:
      row.rate_limit === null ? async () => undefined : createReserve({ pool }, row.id, row.rate_limit),
  }
}

/** The id alone is not enough: a tenant that asks for another tenant's id must not find it. */
const keyOf = (tenantId: string, id: string): string => `${tenantId}/${id}`

function createSign(secrets: WebhookSecrets, now: () => number): Endpoint['sign'] {
  const signers = new Map(secrets.signing.map(({ secret }) => [secret, new Signer(secret)]))
  return (eventId, at, body) =>
    signingSecrets(secrets, now())
      .map(secret => signers.get(secret)!.sign(eventId, at, body))
      .join(' ')
}
