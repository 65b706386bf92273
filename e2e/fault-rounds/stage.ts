/** What a kind of fault plays on: a database behind a proxy, receivers, processes of Carillon, and a producer. */
import { createClient } from '@carillon/sdk'
import { freePort } from '../../server/test/free-port.ts'
import {
  type HttpReceiver,
  type ReceivedRequest,
  startHttpReceiver,
} from '../../server/test/receivers/http-receiver.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../server/test/receivers/smtp-receiver.ts'
import { type CarillonProcess, runCarillon, type Settings } from '../carillon-process.ts'
import { type DataFolder, makeDataFolder } from '../data-folder.ts'
import { ask, createUsers } from '../kill-rounds/database.ts'
import { createPlanner, type Planner, type Random, seededRandom } from '../kill-rounds/plan.ts'
import { createProducer, type Producer } from '../kill-rounds/producer.ts'
import type { FaultKind } from './kind.ts'
import { createStageDatabase, type StageDatabase } from './stage-database.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

export interface StageOptions {
  /** The superuser of a PostgreSQL that the rounds may use. */
  adminUrl: string
  seed: number
  /** As long as the fault lasts in earnest, and not only long enough to show that it was survived. */
  isLong: boolean
  parentDir?: string | undefined
  log: (line: string) => void
}

export interface RunOptions {
  roles?: string
  settings?: Settings
  /** Starts it through another program, as `nice` is. */
  launcher?: string[]
}

export interface Stage extends Omit<StageOptions, 'adminUrl' | 'parentDir'> {
  readonly random: Random
  readonly database: StageDatabase
  readonly proxy: TcpProxy
  readonly smtp: SmtpReceiver
  readonly http: HttpReceiver
  /** Requests that the HTTP service did not take. */
  readonly refused: Set<ReceivedRequest>
  /** Gets an event for every route that was sent. */
  readonly events: HttpReceiver
  readonly folder: DataFolder
  /** Where the API is that the producer uses. */
  readonly url: string
  /** Where the results are read; a kind that runs on the embedded database changes it. */
  resultsUrl: () => string
  readonly processes: CarillonProcess[]
  readonly producer: Producer
  readonly planner: Planner
  /** Starts a process and waits until it works. */
  run(options?: RunOptions): Promise<CarillonProcess>
  /** Called when the processes have ended. */
  atEnd(clean: () => Promise<void>): void
  /** Creates the producer, the people and the webhook, when the first process runs. */
  prepare(): Promise<void>
  close(): Promise<void>
}

const USERS = 200

export async function openStage(kind: FaultKind, options: StageOptions): Promise<Stage> {
  const random = seededRandom(options.seed)
  const [database, smtp, http, events] = await Promise.all([
    createStageDatabase(options.adminUrl),
    startSmtpReceiver(),
    startHttpReceiver(),
    startHttpReceiver(),
  ])
  const { hostname, port } = new URL(database.url)
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  const folder = makeDataFolder(options.parentDir)
  const apiPort = await freePort()
  const url = `http://127.0.0.1:${apiPort}`
  const processes: CarillonProcess[] = []
  const cleaning: (() => Promise<void>)[] = []
  let producer: Producer | undefined
  let planner: Planner | undefined

  const usual: Settings = {
    PORT: String(apiPort),
    DATABASE_URL: database.through(proxy.port),
    CARILLON_DATA_DIR: folder.path,
    CARILLON_LOG_LEVEL: 'warn',
    CARILLON_LEASE_SECONDS: '2',
    CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
    CARILLON_SMTP_URL: smtp.url,
    CARILLON_PROVIDERS: 'sms=http,webhook=http',
    CARILLON_HTTP_PROVIDER_URL: http.url,
  }

  const stage: Stage = {
    seed: options.seed,
    isLong: options.isLong,
    log: options.log,
    random,
    database,
    proxy,
    smtp,
    http,
    refused: new Set(),
    events,
    folder,
    url,
    resultsUrl: () => database.url,
    processes,
    get producer() {
      return producer!
    },
    get planner() {
      return planner!
    },
    async run({ roles, settings = {}, launcher = [] } = {}) {
      const args = roles === undefined ? ['start'] : ['start', '--roles', roles]
      const all = { ...usual, ...kind.settings?.(stage), ...settings }
      const carillon = runCarillon(args, all, undefined, launcher)
      processes.push(carillon)
      if (roles === undefined || roles.includes('api')) await carillon.ready(`http://127.0.0.1:${all.PORT}`)
      else await carillon.announced()
      return carillon
    },
    atEnd: clean => cleaning.push(clean),
    async prepare() {
      const client = createClient({ url, apiKey: folder.apiKey(), retries: 10 })
      const attempts = { email: 100, in_app: 100, sms: 100, webhook: 100 }
      await client.tenant.update({ retry_base_ms: 200, retry_cap_ms: 1_000, max_attempts: attempts })
      await client.webhooks.create({
        url: events.url,
        events: ['notification.sent'],
        retry_count: 20,
        retry_base_ms: 100,
        retry_cap_ms: 500,
      })
      const users = await ask<{ id: string }>(stage.resultsUrl(), createUsers(USERS))
      producer = createProducer(url, folder.apiKey(), kind.producerTimeoutMs)
      planner = createPlanner(
        random,
        users.map(user => user.id),
      )
    },
    async close() {
      for (const carillon of processes) {
        if (carillon.ended !== undefined) continue
        process.kill(carillon.pid, 'SIGCONT')
        await carillon.end('SIGKILL')
      }
      for (const clean of cleaning) await clean()
      await Promise.all([smtp.stop(), http.stop(), events.stop(), proxy.stop()])
      await Promise.all([folder.remove(), database.drop()])
    },
  }
  return stage
}
