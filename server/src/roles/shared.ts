/** What the roles of one process share: created once, closed last. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { createReplyWaiter } from '../automation/invocations/waiting.ts'
import { createTemplateDirectory } from '../content/templates/directory.ts'
import { createLiveHub } from '../inbox/live/hub.ts'
import { createInboxWriter } from '../inbox/notifications/notifications.ts'
import { createMetrics } from '../operations/telemetry/metrics.ts'
import { createTokenDirectory } from '../oversight/user-tokens/directory.ts'
import type { Config } from '../platform/config/config.ts'
import type { Role } from '../platform/config/settings.ts'
import type { Pool } from '../platform/database/pool.ts'
import { createAddressGuard } from '../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../platform/outgoing/http-client.ts'
import { loadKeyring } from '../platform/secrets/master-key.ts'
import { refuseWrongMasterKey } from '../platform/secrets/sealed-rows.ts'
import { createMessageStore } from '../providers/captured-messages/captured-messages.ts'
import { createProviderDirectory } from '../providers/provider-configs/directory.ts'
import { storeEnvironment } from '../providers/provider-configs/environment.ts'
import { createMissingReport } from '../providers/provider-configs/missing.ts'
import { createPresence } from '../providers/provider-configs/presence.ts'
import { createBuiltIns } from '../providers/services/built-in.ts'
import { readEnvironment } from '../providers/services/environment.ts'
import { createHttp2Client } from '../providers/services/push/http2-client.ts'
import { createSignals } from './signals.ts'

export interface SharedOptions {
  config: Config
  roles: Role[]
  log: Logger
  pool: Pool
  /** For statements that may take minutes. */
  patientPool: Pool
}

export type Shared = Awaited<ReturnType<typeof createShared>>

export async function createShared({ config, roles, log, pool, patientPool }: SharedOptions) {
  const onError = (part: string) => (error: unknown) =>
    log.error({ err: error, part }, 'a round failed; trying again')
  const keyring = await loadKeyring(config)
  await refuseWrongMasterKey(pool, keyring)
  const guard = createAddressGuard(config.CARILLON_ALLOWED_NETWORKS, config.CARILLON_DENIED_NETWORKS)
  const http = createHttpClient({ guard })
  const http2 = createHttp2Client({ guard })
  const environment = readEnvironment(config)
  await storeEnvironment(pool, environment, keyring)
  const presence = createPresence({
    pool,
    environment,
    keyring,
    onAbandoned: ({ channel, name }) =>
      log.warn({ channel, provider: name }, 'removed a provider whose settings no process has any more'),
    onError: onError('providers: presence'),
  })
  await presence.start()
  const replies = createReplyWaiter({ pool, onError: onError('replies') })
  const signals = createSignals(pool, roles, replies.hint)
  const writeToInbox = createInboxWriter(pool)
  const directory = createProviderDirectory({
    pool,
    keyring,
    http,
    http2,
    publicUrl: config.CARILLON_PUBLIC_URL,
    environment,
    builtIn: createBuiltIns({
      saveCaptured: createMessageStore(pool),
      deliverInApp: async message => {
        await writeToInbox(message)
        signals.onInbox(message.tenant_id, message.user_id === null ? null : [message.user_id])
      },
    }),
    onError: (error, doing) => onError(`providers: ${doing}`)(error),
    // A process that sends nothing may lack what is needed for it.
    ...(roles.includes('delivery') && { onMissing: createMissingReport(pool, onError('system events')) }),
  })
  const tokens = createTokenDirectory({ db: pool, keyring })
  const live = createLiveHub({
    pool,
    ended: tokens.ended,
    onError: onError('live inboxes'),
    mostConnections: config.CARILLON_LIVE_CONNECTIONS,
  })
  return {
    config,
    roles,
    log,
    pool,
    patientPool,
    /** Names this process on its leases. */
    owner: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    replies,
    signals,
    tokens,
    live,
    metrics: createMetrics(pool),
    keyring,
    guard,
    http,
    directory,
    templates: createTemplateDirectory({ pool }),
    onError,
    async close() {
      await presence.stop()
      await directory.close()
      await Promise.all([http.close(), http2.close()])
    },
  }
}
