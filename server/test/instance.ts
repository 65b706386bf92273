/** The API without a socket, on a database of its own, with everything that a process has besides it. */
import { type Logger, pino } from 'pino'
import { createApi } from '../src/api.ts'
import { createReplyWaiter, type ReplyWaiter } from '../src/automation/invocations/waiting.ts'
import { createEventWriter } from '../src/events/domain-events/append.ts'
import { writeHints } from '../src/inbox/live/hints.ts'
import { createLiveHub } from '../src/inbox/live/hub.ts'
import { createAcceptor } from '../src/intake/intents/accept.ts'
import { examine } from '../src/operations/doctor/doctor.ts'
import { createMetrics } from '../src/operations/telemetry/metrics.ts'
import { createKeyDirectory } from '../src/oversight/api-keys/api-keys.ts'
import { createLimits } from '../src/oversight/limits/limits.ts'
import { createTokenDirectory } from '../src/oversight/user-tokens/directory.ts'
import type { App } from '../src/platform/http/server.ts'
import { createSandbox } from '../src/platform/sandbox/sandbox.ts'
import type { OutputOptions } from '../src/reactions/output-streams/output-streams.ts'
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.ts'
import { createProviderParts } from './provider-parts.ts'

export interface InstanceOptions extends TestDatabaseOptions {
  /** Asked when the servers it names have been started. */
  outputs?: () => OutputOptions
}

export interface Instance {
  readonly database: TestDatabase
  readonly api: App
  readonly providers: ReturnType<typeof createProviderParts>
  readonly replies: ReplyWaiter
  /** The clock of limits; it stands still unless a test moves it. */
  readonly limitClock: { ms: number }
  /** How often the API said that something is due. */
  readonly signals: { due: number }
  /** What the API sent although its schema says otherwise; the caller only got a 500. */
  readonly wrongAnswers: string[]
  close(): Promise<void>
}

export async function createInstance(options: InstanceOptions = {}): Promise<Instance> {
  const database = await createTestDatabase(options)
  const { pool } = database
  const limitClock = { ms: Date.now() }
  const signals = { due: 0 }
  const wrongAnswers: string[] = []
  const sandbox = createSandbox({ workers: 1 })
  const providers = createProviderParts(pool, {}, options.outputs?.())
  const tokens = createTokenDirectory({ db: pool, keyring: providers.keyring, rememberMs: 0 })
  const live = createLiveHub({ pool, ended: tokens.ended, onError: () => {}, pollMs: 200 })
  const replies = createReplyWaiter({ pool, pollMs: 20, onError: () => {} })
  const api = await createApi({
    pool,
    log: keepWrongAnswers(wrongAnswers),
    keys: createKeyDirectory(pool, Date.now, 0),
    acceptor: createAcceptor({ pool, onAccepted: () => {}, onBatch: () => {} }),
    events: createEventWriter({ pool, onAppended: () => {} }),
    limits: createLimits({
      db: pool,
      redisUrl: '',
      onRedisLost: () => {},
      onRedisBack: () => {},
      clock: () => limitClock.ms,
    }),
    metrics: createMetrics(pool),
    keyring: providers.keyring,
    directory: providers.directory,
    outgoing: providers.outgoing,
    sandbox,
    publicUrl: providers.publicUrl,
    onDue: () => void signals.due++,
    replies,
    isServing: () => true,
    examine: () =>
      examine({
        pool,
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
  return {
    database,
    api,
    providers,
    replies,
    limitClock,
    signals,
    wrongAnswers,
    async close() {
      await api.close()
      await sandbox.close()
      await providers.close()
      await database.drop()
    },
  }
}

/** A log of nothing but answers that are not their schema. */
function keepWrongAnswers(messages: string[]): Logger {
  const write = (line: string) => {
    const { err } = JSON.parse(line)
    if (err?.type === 'WrongAnswerError') messages.push(err.message)
  }
  return pino({ level: 'error' }, { write })
}
