/**
 * The endpoints ready to be called, with their secrets open. Asked for together and remembered for a second, so a busy
 * endpoint costs no query per event and a change takes effect without a restart.
 */
import { Webhook as Signer } from 'standardwebhooks'
import type { Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { reserveRequests, selectEndpoints, type WebhookRow } from './queries.ts'
import { signingSecrets, unsealSecrets, type WebhookSecrets } from './secrets.ts'

export interface Endpoint {
  tenantId: string
  id: string
  url: string
  headers: Record<string, string>
  timeoutMs: number
  isActive: boolean
  isPaused: boolean
  /** Texts that must not be stored, should the receiver echo them. */
  secretTexts: string[]
  /** The header webhook-signature: one signature per secret that is valid now. */
  sign(eventId: string, at: Date, body: string): string
  /** Milliseconds to wait when the rate is used up; undefined = go ahead. */
  reserve(): Promise<number | undefined>
}

export interface EndpointDirectory {
  find(tenantId: string, id: string): Promise<Endpoint | undefined>
}

export interface EndpointOptions {
  pool: Pool
  keyring: Keyring
  rememberMs?: number
  now?: () => number
}

interface Known {
  until: number
  updatedAt: number
  endpoint: Endpoint
}

export function createEndpointDirectory(options: EndpointOptions): EndpointDirectory {
  const { pool, rememberMs = 1000, now = Date.now } = options
  const known = new Map<string, Known>()
  const loader = createBatcher<{ tenantId: string; id: string }, Endpoint | undefined>({
    maxBatch: 500,
    async flush(wanted) {
      const unique = [...new Map(wanted.map(key => [key.id, key])).values()]
      const rows = new Map((await selectEndpoints(pool, unique)).map(row => [row.id, row]))
      return wanted.map(({ id }) => remember(id, rows.get(id)))
    },
  })

  function remember(id: string, row: WebhookRow | undefined): Endpoint | undefined {
    if (row === undefined) {
      known.delete(id)
      return undefined
    }
    const before = known.get(id)
    const updatedAt = row.updated_at.getTime()
    const endpoint =
      before?.updatedAt === updatedAt ? before.endpoint : toEndpoint(row, options.keyring, pool, now)
    known.set(id, { until: now() + rememberMs, updatedAt, endpoint })
    return endpoint
  }

  return {
    async find(tenantId, id) {
      const entry = known.get(id)
      if (entry !== undefined && entry.until > now()) return entry.endpoint
      return loader.add({ tenantId, id })
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
    secretTexts: [...Object.values(secrets.headers), ...secrets.signing.map(({ secret }) => secret)],
    sign: createSign(secrets, now),
    reserve: row.rate_limit === null ? async () => undefined : createReserve(pool, row, row.rate_limit),
  }
}

function createSign(secrets: WebhookSecrets, now: () => number): Endpoint['sign'] {
  const signers = new Map(secrets.signing.map(({ secret }) => [secret, new Signer(secret)]))
  return (eventId, at, body) =>
    signingSecrets(secrets, now())
      .map(secret => signers.get(secret)!.sign(eventId, at, body))
      .join(' ')
}

/** Those that do not fit are spread over the time to come, so that each waits about once. */
function createReserve(pool: Pool, row: WebhookRow, limit: number): Endpoint['reserve'] {
  const batcher = createBatcher<undefined, number | undefined>({
    maxBatch: 1000,
    async flush(asks) {
      const { granted, wait_ms } = await reserveRequests(pool, row.tenant_id, row.id, asks.length)
      return asks.map((_, i) => (i < granted ? undefined : wait_ms + (60_000 / limit) * (i - granted)))
    },
  })
  return () => batcher.add(undefined)
}
