/** graphile-worker in its own process, with a task that does nothing. */
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from 'graphile-worker'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { serveParent } from '../child.ts'
import { countJobs, TASK, workerOptions } from './jobs.ts'

await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = createPool(databaseUrl, { max: 1 })

  /** Timed like our own worker: starting up and the first fetch are left out for both. */
  async function drain(count: number) {
    const before = process.cpuUsage()
    let start: number | undefined
    let done = 0
    let onLast = () => {}
    const last = new Promise<void>(resolve => {
      onLast = resolve
    })
    const taskList = {
      [TASK]: async () => {
        start ??= performance.now()
        if (++done === count) onLast()
      },
    }
    const runner = await run({ ...workerOptions(databaseUrl), taskList })
    await last
    // Completions are written in batches without any event; the last one is done when the table is empty.
    while ((await countJobs(pool)) > 0) await delay(1)
    const seconds = (performance.now() - start!) / 1000
    const { user, system } = process.cpuUsage(before)
    await runner.stop()
    return { seconds, cpu_seconds: (user + system) / 1e6 }
  }

  return { answer: drain, stop: () => pool.end() }
})
