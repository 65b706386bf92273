/** A provider that accepts each message at once: bare, or configured in the database with a breaker and a rate limit. */
import { z } from 'zod'
import type { AttemptOptions } from '../../../server/dist/delivery/attempts/attempt.js'
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import type { HttpClient } from '../../../server/dist/platform/outgoing/http-client.js'
import { createKeyring, newMasterKey } from '../../../server/dist/platform/secrets/keyring.js'
import { createProviderDirectory } from '../../../server/dist/providers/provider-configs/directory.js'
import { createProviderConfig } from '../../../server/dist/providers/provider-configs/provider-configs.js'
import { PROVIDER_KINDS } from '../../../server/dist/providers/services/kinds.js'
import type { Provider } from '../../../server/dist/providers/services/provider.js'

type Candidates = AttemptOptions['candidates']

/** The highest limit allowed: checked for every message, but never reached at the rate one machine delivers. */
const MESSAGES_PER_MINUTE = 1_000_000

const noOp: Provider = {
  name: 'no-op',
  send: async () => ({ kind: 'sent' }),
  close: async () => {},
}

/** Without breaker and rate limit. */
export function bare(): Candidates {
  const candidate = {
    name: noOp.name,
    provider: noOp,
    reportsBack: false,
    uncertainPolicy: 'resend',
  } as const
  return async () => [candidate]
}

/** As in the product: found in the tenant's settings, behind its breaker and its rate limit. */
export async function guarded(pool: Pool, tenantId: string): Promise<Candidates> {
  PROVIDER_KINDS.push({
    name: noOp.name,
    title: 'No-op',
    channels: ['email'],
    config: z.strictObject({}),
    secrets: z.strictObject({}),
    create: () => noOp,
  })
  const keyring = createKeyring([newMasterKey()])
  const operator = {
    tenant_id: tenantId,
    api_key_id: '',
    user_id: null,
    scopes: [],
    producers: null,
    expires_at: null,
    requests_per_minute: null,
    notifications_per_day: null,
    quota: { requests_per_minute: null, is_storage_full: false },
  }
  await createProviderConfig(pool, keyring, operator, {
    name: noOp.name,
    kind: noOp.name,
    channel: 'email',
    config: {},
    secrets: {},
    is_active: true,
    rate_limit: MESSAGES_PER_MINUTE,
    timeout_seconds: 10,
    priority: 0,
    uncertain_policy: 'resend',
  })
  const directory = createProviderDirectory({
    pool,
    keyring,
    http: noHttp,
    http2: noHttp,
    publicUrl: '',
    // Without its guards the provider would look far better than it is.
    environment: { providers: [], captured: [] },
    builtIn: () => {
      throw new Error('the configured provider was not found')
    },
    onError: error => {
      throw error
    },
  })
  return (tenant, channel) => directory.candidates(tenant, channel)
}

const noHttp: HttpClient = {
  async send() {
    throw new Error('a provider that does nothing has nothing to send')
  },
  close: async () => {},
}
