/** Measures what tenants with a storage quota have stored. It reads all their rows, so it is bounded by the quota itself. */
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { measureStorage } from './operator-queries.ts'

const EVERY_SECONDS = 600
const LOOK_AGAIN_MS = 10_000

export function createStorageMeter(options: {
  pool: Pool
  wake: Wake
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'storage meter',
    round: async () => ((await measureStorage(options.pool, EVERY_SECONDS)) ? 0 : LOOK_AGAIN_MS),
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
