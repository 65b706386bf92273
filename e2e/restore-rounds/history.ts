/** An instance under load whose machine will be lost, and what is known of it from outside: requests, answers, arrivals. */
import { createClient } from '@carillon/sdk'
import {
  type HttpReceiver,
  type ReceivedRequest,
  startHttpReceiver,
} from '../../server/test/receivers/http-receiver.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../server/test/receivers/smtp-receiver.ts'
import { type CarillonProcess, runCarillon, type Settings } from '../carillon-process.ts'
import type { DataFolder } from '../data-folder.ts'
import { failSometimes } from '../kill-rounds/arrivals.ts'
import { createPlanner, type Random } from '../kill-rounds/plan.ts'
import { createProducer, type Producer, type Sending } from '../kill-rounds/producer.ts'
import { prepareTenant } from '../kill-rounds/tenant.ts'

export interface History {
  /** Of its processes and commands. */
  readonly settings: Settings
  readonly sendings: readonly Sending[]
  /** What the receivers got and took, from it and from all that were restored. */
  arrived(): { mails: SmtpReceiver['mails']; requests: ReceivedRequest[] }
  /** Begins to send intents. */
  start(): void
  /** Sends nothing more, and stops it in order. */
  stop(): Promise<void>
  /** Sends nothing more, and kills it with its PostgreSQL, or with none that is ours. */
  kill(postmaster?: number): Promise<void>
  close(): Promise<void>
}

const USERS = 300
const PER_SECOND = 80

/** Starts the instance, and makes it ready for the load. */
export async function startHistory(options: {
  random: Random
  folder: DataFolder
  settings: Settings
  databaseUrl: () => string
}): Promise<History> {
  const { random, folder } = options
  const [smtp, http] = await Promise.all([startSmtpReceiver(), startHttpReceiver()])
  const refused = failSometimes(http, random)
  const url = `http://127.0.0.1:${options.settings.PORT}`
  const settings = { ...usual(smtp, http), ...options.settings }
  const server: CarillonProcess = runCarillon(['start'], settings)
  const close = async () => {
    await server.end('SIGKILL')
    await Promise.all([smtp.stop(), http.stop()])
  }
  try {
    await server.ready(url)
    const client = createClient({ url, apiKey: folder.apiKey() })
    const planner = createPlanner(random, await prepareTenant(client, options.databaseUrl(), USERS))
    const producer: Producer = createProducer(url, folder.apiKey())
    return {
      settings,
      sendings: producer.sendings,
      arrived: () => ({
        mails: smtp.mails,
        requests: http.requests.filter(request => !refused.has(request)),
      }),
      start: () => producer.start(planner.next, PER_SECOND),
      async stop() {
        await producer.stop()
        const { code } = await server.end('SIGTERM')
        if (code !== 0) throw new Error(`it ended with ${code}: ${server.stderr}`)
      },
      async kill(postmaster) {
        await producer.stop()
        if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
        await server.end('SIGKILL')
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const usual = (smtp: SmtpReceiver, http: HttpReceiver): Settings => ({
  CARILLON_LOG_LEVEL: 'warn',
  CARILLON_LEASE_SECONDS: '2',
  CARILLON_RECONCILE_SECONDS: '1',
  CARILLON_SMTP_URL: smtp.url,
  CARILLON_PROVIDERS: 'sms=http,webhook=http',
  CARILLON_HTTP_PROVIDER_URL: http.url,
})
