/** The role `maintenance`: deletes what is past its retention and tenants that are to go, measures and counts. */
import { createStuckCheck } from '../events/event-consumers/stuck.ts'
import { createMetricsRollup } from '../operations/metrics/rollup.ts'
import { createRetentionSweeper } from '../operations/retention/retention.ts'
import { createTenantDeleter } from '../oversight/tenants/deleter.ts'
import { createStorageMeter } from '../oversight/tenants/storage.ts'
import type { Service } from '../platform/queue/service.ts'
import { createWake } from '../platform/queue/wake.ts'
import type { Shared } from './shared.ts'

export function createMaintenance({ config, patientPool: pool, log, onError }: Shared): Service[] {
  return [
    createRetentionSweeper({
      pool,
      wake: createWake(),
      intervalMs: config.CARILLON_CLEANUP_SECONDS * 1000,
      onSwept: swept => log.info({ swept }, 'retention sweep'),
      onError: onError('retention'),
    }),
    createStuckCheck({ pool, wake: createWake(), onError: onError('stuck events') }),
    createTenantDeleter({ pool, wake: createWake(), onError: onError('tenant deleter') }),
    createStorageMeter({ pool, wake: createWake(), onError: onError('storage meter') }),
    createMetricsRollup({
      pool,
      wake: createWake(),
      intervalMs: config.CARILLON_METRICS_SECONDS * 1000,
      now: () => performance.now(),
      onError: onError('metrics'),
    }),
  ]
}
