/** The role `maintenance`: deletes what is past its retention, and counts the hourly metrics. */
import { createMetricsRollup } from '../operations/metrics/rollup.ts'
import { createRetentionSweeper } from '../operations/retention/retention.ts'
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
    createMetricsRollup({
      pool,
      wake: createWake(),
      intervalMs: config.CARILLON_METRICS_SECONDS * 1000,
      now: () => performance.now(),
      onError: onError('metrics'),
    }),
  ]
}
