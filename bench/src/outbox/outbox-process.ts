/** The dispatcher in its own process: everything is real except the handler, which is done at once. */
import { performance } from 'node:perf_hooks'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createWake } from '../../../server/dist/platform/queue/wake.js'
import { createDispatcher } from '../../../server/dist/reactions/outbox/dispatcher.js'
import { serveParent } from '../child.ts'
import { type StatementTimes, timeStatements } from '../delivery/statement-times.ts'

export interface Dispatched {
  /** From the first row at the handler to the last one completed in the database. */
  seconds: number
  statements: StatementTimes
}

await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = createPool(databaseUrl)
  const times = timeStatements(pool)

  async function drain(count: number): Promise<Dispatched> {
    times.reset()
    let start: number | undefined
    let completed = 0
    let onLast = () => {}
    let onError: (error: unknown) => void = () => {}
    const last = new Promise<void>((resolve, reject) => {
      onLast = resolve
      onError = reject
    })
    const dispatcher = createDispatcher({
      pool,
      owner: 'bench',
      handlers: [
        {
          sourceKind: 'no_op',
          maxPerTarget: 500,
          async handle() {
            start ??= performance.now()
            return { outcome: { kind: 'done' } }
          },
        },
      ],
      wake: createWake(),
      concurrency: 2000,
      leaseSeconds: 30,
      pollMs: 200,
      shutdownMs: 5000,
      events: {
        onDispatched(_row, _completion, isCompleted) {
          if (isCompleted && ++completed === count) onLast()
        },
        onDead: () => {},
        onError,
      },
    })
    await dispatcher.start()
    await last
    const seconds = (performance.now() - start!) / 1000
    await dispatcher.stop()
    return { seconds, statements: times.read() }
  }

  return { answer: drain, stop: () => pool.end() }
})
