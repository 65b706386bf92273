/** A whole Carillon for the tests of a file: its own database, the API without a socket, workers on demand. */
import type {
  CreatedApiKey,
  NewApiKey,
  NotificationTypeInput,
  Problem,
  Route,
  UserInput,
} from '@carillon/contract'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, onTestFinished, TestRunner } from 'vitest'
import { createApi } from '../src/api.ts'
import { createReplyWaiter, type ReplyWaiter } from '../src/automation/invocations/waiting.ts'
import type { Message } from '../src/content/messages/message.ts'
import { createTemplateDirectory } from '../src/content/templates/directory.ts'
import { createDeliveryWorker, type DeliveryOptions } from '../src/delivery/attempts/worker.ts'
import { createEventWriter } from '../src/events/domain-events/append.ts'
import { writeHints } from '../src/inbox/live/hints.ts'
import { createLiveHub } from '../src/inbox/live/hub.ts'
import { createAcceptor } from '../src/intake/intents/accept.ts'
import { examine } from '../src/operations/doctor/doctor.ts'
import { createMetrics } from '../src/operations/telemetry/metrics.ts'
import { createApiKey, createKeyDirectory } from '../src/oversight/api-keys/api-keys.ts'
import { createLimits } from '../src/oversight/limits/limits.ts'
import { createFirstTenant, createTenant } from '../src/oversight/tenants/tenants.ts'
import { createTokenDirectory } from '../src/oversight/user-tokens/directory.ts'
import { type Pool, transaction } from '../src/platform/database/pool.ts'
import type { App } from '../src/platform/http/server.ts'
import type { Service } from '../src/platform/queue/service.ts'
import { createWake } from '../src/platform/queue/wake.ts'
import { createSandbox } from '../src/platform/sandbox/sandbox.ts'
import type { Outcome, Provider } from '../src/providers/services/provider.ts'
import type { OutputOptions } from '../src/reactions/output-streams/output-streams.ts'
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.ts'
import { createProviderParts } from './provider-parts.ts'
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
  /** Makes everything that waits due now. */
  skipWaiting(): Promise<void>
  /** Waits until everything that is due has been worked off. */
  nothingDue(): Promise<void>
  putUser(id: string, input?: UserInput): Promise<void>
  putType(name: string, input: NotificationTypeInput): Promise<void>
  /** Every item of a list, read page by page; `key` reads as another caller. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  readAll(path: string, limit?: number, key?: string): Promise<any[]>
  /** The number of rows of each table, to prove that nothing was stored. */
  rowCounts(): Promise<Record<string, number>>
}

export const AN_INTENT = {
  notification_type: 'order_shipped',
  audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
  payload: { title: 'Your order', body: 'It is on its way.' },
}

let unique = 0

/** `outputs` is asked when the servers it names have been started. */
export function useCarillon(
  options: TestDatabaseOptions & { outputs?: () => OutputOptions } = {},
): TestCarillon {
  let database: TestDatabase
  let api: App
  let providers: ReturnType<typeof createProviderParts>
  let replies: ReplyWaiter
  let key: string
  let tenantId: string
  const workers = new Set<Service>()
  const wrongAnswers: string[] = []
  /** What workers reported, for whoever waits in vain. */
  const failures: string[] = []
  const sandbox = createSandbox({ workers: 1 })

  beforeAll(async () => {
    database = await createTestDatabase(options)
    key = (await createFirstTenant(database.pool))!.key
    tenantId = (await database.pool.query('select id from tenants')).rows[0].id
    providers = createProviderParts(database.pool, {}, options.outputs?.())
    const tokens = createTokenDirectory({ db: database.pool, keyring: providers.keyring, rememberMs: 0 })
    const live = createLiveHub({ pool: database.pool, ended: tokens.ended, onError: () => {}, pollMs: 200 })
    replies = createReplyWaiter({ pool: database.pool, pollMs: 20, onError: () => {} })
    api = await createApi({
      pool: database.pool,
      log: keepWrongAnswers(wrongAnswers),
      keys: createKeyDirectory(database.pool, Date.now, 0),
      acceptor: createAcceptor({ pool: database.pool, onAccepted: () => {}, onBatch: () => {} }),
      events: createEventWriter({ pool: database.pool, onAppended: () => {} }),
      limits: createLimits({
        db: database.pool,
        redisUrl: '',
        onRedisLost: () => {},
        onRedisBack: () => {},
        clock: () => carillon.limitClock.ms,
      }),
      metrics: createMetrics(database.pool),
      keyring: providers.keyring,
      directory: providers.directory,
      outgoing: providers.outgoing,
      sandbox,
      publicUrl: providers.publicUrl,
      onDue: () => void carillon.signals.due++,
      replies,
      isServing: () => true,
      examine: () =>
        examine({
          pool: database.pool,
          keyring: providers.keyring,
          guard: providers.outgoing.guard,
          dataDir: '.',
          isEmbedded: true,
          redisUrl: '',
          environment: [],
          now: Date.now,
        }),
      checkAnswers: true,
      hasPlayground: true,
      tokens,
      live,
      onInbox: (tenantId, userIds) => {
        for (const hint of writeHints(tenantId, userIds)) live.hint(hint)
      },
    })
    await api.ready()
  })
  afterAll(async () => {
    for (const worker of workers) await worker.stop()
    await api?.close()
    await sandbox.close()
    await providers?.close()
    await database?.drop()
  })

  const carillon: TestCarillon = {
    limitClock: { ms: Date.now() },
    signals: { due: 0 },
    get pool() {
      return database.pool
    },
    get url() {
      return database.url
    },
    get api() {
      return api
    },
    get providers() {
      return providers
    },
    get tenantId() {
      return tenantId
    },
    get key() {
      return key
    },
    async request(method, path, options = {}) {
      const used = options.key === undefined ? key : options.key
      const payload =
        options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
      const response = await api.inject({
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
      const wrong = wrongAnswers.shift()
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
    createKey: input => createApiKey(database.pool, tenantId, input),
    async createTenant(name) {
      const tenant = await transaction(database.pool, tx =>
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
      const templates = createTemplateDirectory({ pool: database.pool, rememberMs: 0 })
      const worker = createDeliveryWorker({
        pool: database.pool,
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
    async skipWaiting() {
      await database.pool.query(
        `with digests as (update records set send_at = now() where source = 'digest' and send_at > now())
         update routes set next_attempt_at = now() where next_attempt_at > now() and lease_owner is null`,
      )
    },
    async nothingDue() {
      const due = 'select from routes where next_attempt_at <= now()'
      const isDone = async () => (await database.pool.query(due)).rowCount === 0
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
      const tables = await database.pool.query<{ name: string }>(
        "select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind = 'r'",
      )
      const names = tables.rows.map(row => row.name).sort()
      const counts = names.map(name => `(select count(*)::integer from ${name}) as ${name}`)
      return (await database.pool.query(`select ${counts.join(', ')}`)).rows[0]
    },
  }
  async function put(path: string, body: object): Promise<void> {
    const answer = await carillon.request('PUT', path, { body })
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  }
  return carillon
}

/** A log of nothing but answers that are not their schema. */
function keepWrongAnswers(messages: string[]): Logger {
  const write = (line: string) => {
    const { err } = JSON.parse(line)
    if (err?.type === 'WrongAnswerError') messages.push(err.message)
  }
  return pino({ level: 'error' }, { write })
}

/** The problem in an answer; throws when the answer is not a problem. */
export function problemOf(answer: Answer): Problem {
  if (!String(answer.headers['content-type']).startsWith('application/problem+json')) {
    throw new Error(`not a problem: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  return answer.body
}
