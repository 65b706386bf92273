/** The role `maintenance`: archives and deletes what is past its time and tenants that are to go, measures, counts, reconciles. */
import { createStuckCheck } from '../events/event-consumers/stuck.ts'
import { createReadabilityCheck } from '../intake/streams/readability.ts'
import { createArchiver } from '../operations/archive/archive.ts'
import { createWalks } from '../operations/invariants/invariants.ts'
import { createReconciler } from '../operations/invariants/reconciler.ts'
import { createMetricsRollup } from '../operations/metrics/rollup.ts'
import { createRetentionSweeper } from '../operations/retention/retention.ts'
import { createTenantDeleter } from '../oversight/tenants/deleter.ts'
import { createStorageMeter } from '../oversight/tenants/storage.ts'
import type { Service } from '../platform/queue/service.ts'
import { createWake } from '../platform/queue/wake.ts'
import { OUTBOX_KINDS } from './outbox-kinds.ts'
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
    createArchiver({
      pool,
      wake: createWake(),
      intervalMs: config.CARILLON_CLEANUP_SECONDS * 1000,
      exportDir: config.CARILLON_ARCHIVE_EXPORT_DIR || undefined,
      onArchived: archived => log.info({ archived }, 'archive'),
      onError: onError('archiver'),
    }),
    createStuckCheck({ pool, wake: createWake(), onError: onError('stuck events') }),
    createReadabilityCheck({ pool, wake: createWake(), onError: onError('streams that nobody reads') }),
    createTenantDeleter({ pool, wake: createWake(), onError: onError('tenant deleter') }),
    createStorageMeter({ pool, wake: createWake(), onError: onError('storage meter') }),
    createMetricsRollup({
      pool,
      wake: createWake(),
      intervalMs: config.CARILLON_METRICS_SECONDS * 1000,
      now: () => performance.now(),
      onError: onError('metrics'),
    }),
    createReconciler({
      pool,
      wake: createWake(),
      walks: createWalks(OUTBOX_KINDS),
      intervalSeconds: config.CARILLON_RECONCILE_SECONDS,
      now: () => performance.now(),
      onError: onError('reconciler'),
    }),
  ]
}
