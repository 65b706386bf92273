/** A whole Carillon for the tests of a file: an empty database, the API without a socket, workers on demand. */
import type { AddressInfo } from 'node:net'
import type {
  Attempt,
  CreatedApiKey,
  NewApiKey,
  NotificationTypeInput,
  Problem,
  Route,
  RouteReason,
  UserInput,
} from '@carillon/contract'
import { afterAll, beforeAll, onTestFinished, TestRunner } from 'vitest'
import type { Message } from '../src/content/messages/message.ts'
import { createTemplateDirectory } from '../src/content/templates/directory.ts'
import { createDeliveryWorker, type DeliveryOptions } from '../src/delivery/attempts/worker.ts'
import { createApiKey } from '../src/oversight/api-keys/api-keys.ts'
import { resumeTenantRow, suspendTenantRow } from '../src/oversight/tenants/operator-queries.ts'
import { createFirstTenant, createTenant } from '../src/oversight/tenants/tenants.ts'
import { type Pool, transaction } from '../src/platform/database/pool.ts'
import type { App } from '../src/platform/http/server.ts'
import type { Service } from '../src/platform/queue/service.ts'
import { createWake } from '../src/platform/queue/wake.ts'
import type { Outcome, Provider } from '../src/providers/services/provider.ts'
import { createInstance, type Instance, type InstanceOptions } from './instance.ts'
import type { createProviderParts } from './provider-parts.ts'
import { giveBackShared, takeShared } from './shared-instance.ts'
import { waitFor } from './wait-for.ts'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  body: any
  headers: Record<string, unknown>
}

export interface RequestOptions {
  body?: unknown
  /** Sent as it is, for what JSON.stringify cannot express. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  /** null: send no key. */
  key?: string | null
}

export interface TestCarillon {
  readonly pool: Pool
  readonly url: string
  readonly api: App
  readonly tenantId: string
  readonly providers: ReturnType<typeof createProviderParts>
  readonly key: string
  /** The clock of limits; it stands still unless a test moves it. */
  readonly limitClock: { ms: number }
  /** How often the API said that something is due. */
  readonly signals: { due: number }
  /** Gives the API a socket; returns its URL. */
  listen(): Promise<string>
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: RequestOptions,
  ): Promise<Answer>
  /** Sends an intent with defaults; returns its id. */
  send(intent?: object): Promise<string>
  createKey(input: NewApiKey): Promise<CreatedApiKey>
  createTenant(name: string): Promise<{ id: string; key: string }>
  /** Delivers with this provider until stop() is called or the test ends; if a hook of the file calls it, until the file ends. */
  deliver(
    provider: Provider | ((message: Message) => Outcome | Promise<Outcome>),
    options?: Partial<DeliveryOptions>,
  ): Service
  routesOf(notificationId: string): Promise<Route[]>
  /** Waits until every route of the record has one of the statuses. */
  settled(notificationId: string, ...statuses: string[]): Promise<Route[]>
  /** The logged attempts at a route, the first one first. */
  attemptsOf(route: Route): Promise<Attempt[]>
  /** Makes everything that waits due now, or only what waits for this reason. */
  skipWaiting(reason?: RouteReason): Promise<void>
  /** Makes the deadline of a record pass. */
  passDeadline(notificationId: string): Promise<void>
  /** Suspends the tenant, which no key of its own may do. */
  suspend(): Promise<void>
  resume(): Promise<void>
  /** Waits until everything that is due has been worked off. */
  nothingDue(): Promise<void>
  putUser(id: string, input?: UserInput): Promise<void>
  putType(name: string, input: NotificationTypeInput): Promise<void>
  /** Every item of a list, read page by page; `key` reads as another caller. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  readAll(path: string, limit?: number, key?: string): Promise<any[]>
  /** The number of rows of each table, to prove that nothing was stored. */
  rowCounts(): Promise<Record<string, number>>
  /** Makes the routes of a record look as if they had been due for so long. */
  makeOverdue(notificationId: string, interval: string): Promise<void>
}

export const AN_INTENT = {
  notification_type: 'order_shipped',
  audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
  payload: { title: 'Your order', body: 'It is on its way.' },
}

let unique = 0

/**
 * The instance is the one of this process, with an empty database. A file that says what its database or outputs are like
 * has one of its own, and so does one that says `isApart`: it looks at what outlives a file, such as metrics or caches.
 */
export function useCarillon(options: InstanceOptions & { isApart?: true } = {}): TestCarillon {
  let instance: Instance
  let giveBack: () => Promise<void>
  let key: string
  let tenantId: string
  const workers = new Set<Service>()
  /** What workers reported, for whoever waits in vain. */
  const failures: string[] = []

  beforeAll(async () => {
    const shared = Object.keys(options).length === 0 ? await takeShared() : undefined
    instance = shared ?? (await createInstance(options))
    giveBack = shared === undefined ? instance.close : giveBackShared
    key = (await createFirstTenant(instance.database.pool))!.key
    tenantId = (await instance.database.pool.query('select id from tenants')).rows[0].id
  })
  afterAll(async () => {
    for (const worker of workers) await worker.stop()
    await giveBack?.()
  })

  const carillon: TestCarillon = {
    get limitClock() {
      return instance.limitClock
    },
    get signals() {
      return instance.signals
    },
    get pool() {
      return instance.database.pool
    },
    get url() {
      return instance.database.url
    },
    get api() {
      return instance.api
    },
    get providers() {
      return instance.providers
    },
    get tenantId() {
      return tenantId
    },
    // An earlier file of the same process may have asked for the socket.
    async listen() {
      const { api } = instance
      if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 })
      return `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`
    },
    get key() {
      return key
    },
    async request(method, path, options = {}) {
      const used = options.key === undefined ? key : options.key
      const payload =
        options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
      const response = await instance.api.inject({
        method,
        url: path,
        headers: {
          ...(used !== null && { authorization: `Bearer ${used}` }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(payload !== undefined && { payload }),
      })
      // The caller only gets a 500, which would hide from the test what is wrong.
      const wrong = instance.wrongAnswers.shift()
      if (wrong !== undefined) throw new Error(wrong)
      const isJson = /[/+]json/.test(String(response.headers['content-type']))
      return {
        status: response.statusCode,
        body: isJson ? response.json() : response.body,
        headers: response.headers,
      }
    },
    async send(intent = {}) {
      const body = { ...AN_INTENT, idempotency_key: `test-${++unique}`, ...intent }
      const answer = await carillon.request('POST', '/v1/intents', { body })
      if (answer.status !== 202) throw new Error(`intent not accepted: ${JSON.stringify(answer.body)}`)
      return answer.body.notification_id
    },
    createKey: input => createApiKey(carillon.pool, tenantId, input),
    async createTenant(name) {
      const tenant = await transaction(carillon.pool, tx =>
        createTenant(tx, { name, accept_unknown_types: true }),
      )
      return { id: tenant.id, key: tenant.api_key.key }
    },
    deliver(provider, options = {}) {
      const wake = createWake()
      const used: Provider =
        typeof provider === 'function'
          ? { name: 'test', send: async message => provider(message), close: async () => {} }
          : provider
      const templates = createTemplateDirectory({ pool: carillon.pool, rememberMs: 0 })
      const worker = createDeliveryWorker({
        pool: carillon.pool,
        owner: `worker-${++unique}`,
        candidates: async () => [
          { name: used.name, provider: used, reportsBack: false, uncertainPolicy: 'resend' },
        ],
        fillTemplate: templates.fillTemplate,
        layOut: templates.layOut,
        wake,
        concurrency: 100,
        leaseSeconds: 30,
        pollMs: 20,
        shutdownMs: 5000,
        events: {
          onAttempt: () => {},
          onDead: () => {},
          onError: (error, doing) => failures.push(`${doing}: ${error}`),
        },
        ...options,
      })
      workers.add(worker)
      void worker.start()
      const stop = async () => {
        if (workers.delete(worker)) await worker.stop()
      }
      // A test that fails leaves no worker to take the messages of the next one.
      if (TestRunner.getCurrentTest()) onTestFinished(stop)
      return { ...worker, stop }
    },
    async routesOf(notificationId) {
      return (await carillon.request('GET', `/v1/records/${notificationId}/routes?limit=100`)).body.data
    },
    settled: (notificationId, ...statuses) =>
      waitFor(
        async () => {
          const routes = await carillon.routesOf(notificationId)
          return routes.length > 0 && routes.every(route => statuses.includes(route.status))
            ? routes
            : undefined
        },
        { what: `routes of ${notificationId} to be ${statuses.join(' or ')}`, failures },
      ),
    async attemptsOf({ notification_id, route_id }) {
      const query = new URLSearchParams({ notification_id, route_id })
      return (await carillon.request('GET', `/v1/routes/attempts?${query}`)).body.data
    },
    async skipWaiting(reason) {
      await carillon.pool.query(
        `with digests as (update records set send_at = now() where source = 'digest' and send_at > now())
         update routes set next_attempt_at = now()
         where next_attempt_at > now() and lease_owner is null and ($1::text is null or reason = $1)`,
        [reason],
      )
    },
    async passDeadline(notificationId) {
      await carillon.pool.query(
        "update records set expires_at = now() - interval '1 second' where notification_id = $1",
        [notificationId],
      )
    },
    suspend: () => suspendTenantRow(carillon.pool, tenantId, ''),
    async resume() {
      await resumeTenantRow(carillon.pool, tenantId)
    },
    async nothingDue() {
      const due = 'select from routes where next_attempt_at <= now()'
      const isDone = async () => (await carillon.pool.query(due)).rowCount === 0
      await waitFor(isDone, { what: 'nothing to be due', failures })
    },
    putUser: (id, input = {}) => put(`/v1/users/${encodeURIComponent(id)}`, input),
    putType: (name, input) => put(`/v1/notification-types/${encodeURIComponent(name)}`, input),
    async readAll(path, limit = 100, key) {
      const items = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const url = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${from}`
        const answer = await carillon.request('GET', url, key === undefined ? {} : { key })
        if (answer.status !== 200) throw new Error(`${url}: ${JSON.stringify(answer.body)}`)
        items.push(...answer.body.data)
        cursor = answer.body.next_cursor
      }
      return items
    },
    async rowCounts() {
      const tables = await carillon.pool.query<{ name: string }>(
        "select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind = 'r'",
      )
      const names = tables.rows.map(row => row.name).sort()
      const counts = names.map(name => `(select count(*)::integer from ${name}) as ${name}`)
      return (await carillon.pool.query(`select ${counts.join(', ')}`)).rows[0]
    },
    async makeOverdue(notificationId, interval) {
      await carillon.pool.query(
        'update routes set next_attempt_at = now() - $2::interval where notification_id = $1',
        [notificationId, interval],
      )
    },
  }
  async function put(path: string, body: object): Promise<void> {
    const answer = await carillon.request('PUT', path, { body })
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  }
  return carillon
}

/** The problem in an answer; throws when the answer is not a problem. */
export function problemOf(answer: Answer): Problem {
  if (!String(answer.headers['content-type']).startsWith('application/problem+json')) {
    throw new Error(`not a problem: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  return answer.body
}
