/** Keeps the services of a process from starting while its instance is held back after a restore. */
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { isInstanceHeld } from './restores.ts'

const LOOK_MS = 1000
const NOTHING_LEFT_MS = 3_600_000

export interface HoldOptions {
  pool: Pool
  wake: Wake
  services: Service[]
  /** Once, when the start finds that it has to wait. */
  onHeld: () => void
  onReleased: () => void
  onError: (error: unknown) => void
}

/** Starts and stops all of them; the start does not wait. */
export function createHold(options: HoldOptions): Service {
  const { pool, wake, services } = options
  let isStarted = false
  const startAll = async () => {
    isStarted = true
    for (const service of services) await service.start()
  }
  const loop = createLoop({
    name: 'restore hold',
    async round() {
      if (!isStarted && !(await isInstanceHeld(pool))) {
        await startAll()
        options.onReleased()
      }
      return isStarted ? NOTHING_LEFT_MS : LOOK_MS
    },
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: options.onError,
  })
  return {
    name: 'restore hold',
    async start() {
      if (!(await isInstanceHeld(pool))) return startAll()
      options.onHeld()
      await loop.start()
    },
    async stop() {
      await loop.stop()
      if (isStarted) await Promise.all(services.map(service => service.stop()))
    },
  }
}
