/** Looks whether providers that messages hang on were removed or switched off, perhaps by another process. */
import { createLoop, type Service } from '../../platform/queue/service.ts'
import { createWake } from '../../platform/queue/wake.ts'
import type { ProviderDirectory } from './directory.ts'

/** Costs a query only while something is being sent through a tenant's provider. */
const INTERVAL_MS = 1000

export function createReleaseLoop(
  directory: Pick<ProviderDirectory, 'releaseRemoved'>,
  onError: (error: unknown) => void,
): Service {
  const wake = createWake()
  return createLoop({
    name: 'provider release',
    round: async () => {
      await directory.releaseRemoved()
      return INTERVAL_MS
    },
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError,
  })
}
