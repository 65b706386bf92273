/** Processes with settings of their own, which share one database, and what operators see of their providers. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { TestCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { createMessageStore } from '../captured-messages/captured-messages.ts'
import { createBuiltIns } from '../services/built-in.ts'
import { readEnvironment } from '../services/environment.ts'
import { storeEnvironment } from './environment.ts'
import { createMissingReport } from './missing.ts'
import { createPresenceRound } from './presence.ts'

export const SECRET = 'token-of-the-operator'

export function useProcesses(carillon: TestCarillon) {
  const stops: (() => Promise<void>)[] = []
  let receiver: HttpReceiver

  beforeAll(async () => {
    receiver = await startHttpReceiver()
  })
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
    await carillon.pool.query('delete from provider_configs')
    await carillon.pool.query('delete from admin_system_events')
    await carillon.pool.query('delete from routes')
    receiver.answerWith(() => ({}))
    receiver.requests.length = 0
  })
  afterAll(() => receiver?.stop())

  return {
    get receiver() {
      return receiver
    },
    /** Settings that send mails to the receiver. */
    get overHttp(): Record<string, string> {
      return {
        CARILLON_PROVIDERS: 'email=http',
        CARILLON_HTTP_PROVIDER_URL: receiver.url,
        CARILLON_HTTP_PROVIDER_HEADERS: JSON.stringify({ authorization: `Bearer ${SECRET}` }),
      }
    },
    /** The delivering part of a process with these settings. */
    async start(settings: Record<string, string>) {
      const { pool } = carillon
      const { keyring } = carillon.providers
      const environment = readEnvironment(loadConfig(settings))
      await storeEnvironment(pool, environment, keyring)
      const parts = createProviderParts(pool, {
        keyring,
        environment,
        builtIn: createBuiltIns({ saveCaptured: createMessageStore(pool), deliverInApp: async () => {} }),
        onMissing: createMissingReport(pool, () => {}),
        breaker: { threshold: 2, coolDownMs: 60_000 },
      })
      const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
      let isStopped = false
      const stop = async () => {
        if (isStopped) return
        isStopped = true
        await worker.stop()
        await parts.close()
      }
      stops.push(stop)
      const keepPresence = createPresenceRound({
        pool,
        environment,
        keyring,
        onAbandoned: () => {},
        onError: () => {},
      })
      return { directory: parts.directory, keepPresence, stop }
    },
    async listed(key?: string) {
      return (await carillon.request('GET', '/v1/providers', key === undefined ? {} : { key })).body.data
    },
    async events(type: string) {
      return (await carillon.request('GET', `/v1/system-events?event_type=${type}&state=open`)).body.data
    },
    async captured(): Promise<string[]> {
      const { data } = (await carillon.request('GET', '/v1/captured-messages')).body
      return data.map(({ notification_id }: { notification_id: string }) => notification_id)
    },
    /** Waits until the route is postponed for this reason. */
    postponed: (id: string, reason: string) =>
      waitFor(
        async () => {
          const [route] = await carillon.routesOf(id)
          return route?.reason === reason ? route : undefined
        },
        { what: `the route to wait for ${reason}` },
      ),
    /** As after failures; the next probe is due at `retryAt`. */
    async breakDown(
      provider: { id: string; tenant_id: string | null; subject: string },
      retryAt = "now() + interval '1 hour'",
    ): Promise<void> {
      await carillon.pool.query(
        `insert into provider_health (provider_id, state, retry_at, last_error)
         values ($1, 'open', ${retryAt}, 'it went away')`,
        [provider.id],
      )
      await raiseSystemEvent(carillon.pool, {
        tenant_id: provider.tenant_id,
        event_type: 'provider_down',
        subject: provider.subject,
        severity: 'high',
        description: 'It keeps failing.',
      })
    },
  }
}
