/** The role `dispatch`: passes the rows of the outbox to their handlers. */
import { logDispatch, outcomeOf } from '../operations/telemetry/dispatch-log.ts'
import type { Service } from '../platform/queue/service.ts'
import { createDispatcher } from '../reactions/outbox/dispatcher.ts'
import { createWebhookHandler } from '../reactions/webhook-deliveries/handler.ts'
import { createRecoveryHandler } from '../reactions/webhook-recoveries/recoveries.ts'
import { createEndpointDirectory } from '../reactions/webhooks/endpoints.ts'
import { createUnreadableReport } from '../reactions/webhooks/unreadable.ts'
import { reportDeadDispatch } from './dead-letter-events.ts'
import type { Shared } from './shared.ts'

export function createDispatch(shared: Shared): Service[] {
  const { config, pool, owner, log, metrics, keyring, http, signals, onError } = shared
  return [
    createDispatcher({
      pool,
      owner,
      handlers: [
        createWebhookHandler({
          http,
          endpoints: createEndpointDirectory({ pool, keyring }),
          maxPerEndpoint: config.CARILLON_WEBHOOK_CONCURRENCY,
          onUnreadable: createUnreadableReport(pool, onError('system events')),
        }),
        createRecoveryHandler(pool, () => signals.dispatch.call()),
      ],
      wake: signals.dispatch,
      concurrency: config.CARILLON_DISPATCH_CONCURRENCY,
      leaseSeconds: config.CARILLON_LEASE_SECONDS,
      pollMs: config.CARILLON_POLL_MS,
      shutdownMs: config.CARILLON_SHUTDOWN_SECONDS * 1000,
      events: {
        onDispatched(row, completion, completed, durationMs) {
          metrics.dispatched(row.source_kind, outcomeOf(completion), durationMs)
          logDispatch(log, row, completion, completed, durationMs)
        },
        onDead: (tenantId, sourceKind, _reason, depth) =>
          void reportDeadDispatch(pool, tenantId, sourceKind, depth + 1).catch(onError('system events')),
        onError: (error, doing) => onError(`dispatch: ${doing}`)(error),
      },
    }),
  ]
}
