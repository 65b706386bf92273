/** The delivery role in a process of its own: everything real but the provider, which takes each message at once. */
import { performance } from 'node:perf_hooks'
import { createPool } from '../../../server/dist/db/pool.js'
import type { Candidate } from '../../../server/dist/delivery/send.js'
import { createDeliveryWorker } from '../../../server/dist/delivery/worker.js'
import { createUnsubscribeUrl } from '../../../server/dist/preferences/links.js'
import { createWake } from '../../../server/dist/queue/wake.js'
import { createKeyring, newMasterKey } from '../../../server/dist/secrets/keyring.js'
import { logAttempt } from '../../../server/dist/telemetry/attempt-log.js'
import { createMetrics } from '../../../server/dist/telemetry/metrics.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'
import { type StatementTimes, timeStatements } from './statement-times.ts'

export interface Drained {
  /** From the first message at the provider to the last one completed in the database. */
  seconds: number
  cpu_seconds: number
  statements: StatementTimes
}

interface Input {
  databaseUrl: string
  /** With one, mails get their unsubscribe links. */
  publicUrl?: string
}

await serveParent(async ({ databaseUrl, publicUrl = '' }: Input) => {
  const pool = createPool(databaseUrl)
  const metrics = createMetrics(pool)
  const times = timeStatements(pool)
  const unsubscribeUrl = createUnsubscribeUrl(createKeyring([newMasterKey()]), publicUrl, Date.now)

  async function drain(count: number): Promise<Drained> {
    times.reset()
    const before = process.cpuUsage()
    let start: number | undefined
    let completed = 0
    const finished = settleable()
    const noOp: Candidate = {
      name: 'no-op',
      provider: {
        async send() {
          start ??= performance.now()
          return { kind: 'sent' }
        },
      },
      reportsBack: false,
      uncertainPolicy: 'resend',
    }
    const worker = createDeliveryWorker({
      pool,
      owner: 'bench',
      candidates: async () => [noOp],
      wake: createWake(),
      concurrency: 500,
      leaseSeconds: 30,
      pollMs: 200,
      shutdownMs: 5000,
      unsubscribeUrl,
      events: {
        onAttempt(route, completion, isCompleted) {
          metrics.attempted(route.channel, completion.outcome, completion.duration_ms)
          logAttempt(log, route, completion, isCompleted)
          if (isCompleted && ++completed === count) finished.resolve()
        },
        onDead: () => {},
        onError: finished.reject,
      },
    })
    await worker.start()
    await finished.promise
    const seconds = (performance.now() - start!) / 1000
    const { user, system } = process.cpuUsage(before)
    await worker.stop()
    return { seconds, cpu_seconds: (user + system) / 1e6, statements: times.read() }
  }

  return { answer: drain, stop: () => pool.end() }
})

/** Promise.withResolvers, which Node 20 does not have. */
function settleable() {
  let resolve!: () => void
  let reject!: (error: unknown) => void
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
