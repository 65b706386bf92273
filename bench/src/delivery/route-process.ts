/** The delivery role in its own process: everything is real except the provider, which accepts each message at once. */
import { performance } from 'node:perf_hooks'
import { createMailLinks } from '../../../server/dist/content/messages/mail-links.js'
import { createDeliveryWorker } from '../../../server/dist/delivery/attempts/worker.js'
import { logAttempt } from '../../../server/dist/operations/telemetry/attempt-log.js'
import { createMetrics } from '../../../server/dist/operations/telemetry/metrics.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createWake } from '../../../server/dist/platform/queue/wake.js'
import { createKeyring, newMasterKey } from '../../../server/dist/platform/secrets/keyring.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'
import type { Drained } from './drains.ts'
import { bare, guarded } from './no-op-provider.ts'
import { type StatementTimes, timeStatements } from './statement-times.ts'

export interface Input {
  databaseUrl: string
  tenantId: string
  guards: 'none' | 'breaker and rate limit'
  /** If set, mails get their links; '' for none. */
  publicUrl: string
}

await serveParent(async ({ databaseUrl, tenantId, guards, publicUrl }: Input) => {
  const pool = createPool(databaseUrl)
  const metrics = createMetrics(pool)
  const times = timeStatements(pool)
  const candidates = guards === 'none' ? bare() : await guarded(pool, tenantId)
  const links = createMailLinks(createKeyring([newMasterKey()]), publicUrl, Date.now)

  async function drain(count: number): Promise<Drained & { statements: StatementTimes }> {
    times.reset()
    const before = process.cpuUsage()
    let start: number | undefined
    let completed = 0
    const finished = withResolvers()
    const worker = createDeliveryWorker({
      pool,
      owner: 'bench',
      candidates(tenant, channel) {
        start ??= performance.now()
        return candidates(tenant, channel)
      },
      wake: createWake(),
      concurrency: 500,
      leaseSeconds: 30,
      pollMs: 200,
      shutdownMs: 5000,
      links,
      events: {
        onAttempt(route, completion, isCompleted) {
          metrics.attempted(route.channel, completion.outcome, completion.duration_ms)
          logAttempt(log, route, completion, isCompleted)
          // A route that was only postponed would count as fast work.
          if (completion.status !== 'sent') finished.reject(new Error(`Not sent: ${completion.message}`))
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
function withResolvers() {
  let resolve!: () => void
  let reject!: (error: unknown) => void
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
