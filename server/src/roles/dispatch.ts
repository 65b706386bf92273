/** The role `dispatch`: passes the rows of the outbox to their handlers. */
import { createScriptHandlers } from '../automation/runs/handlers.ts'
import { inboxOf } from '../automation/runs/outbox-row.ts'
import { listAttempts } from '../delivery/routes/attempts.ts'
import { readdressRoute, replayRoutes } from '../delivery/routes/replay.ts'
import { createReplayHandler } from '../events/event-consumers/replay.ts'
import { logDispatch, outcomeOf } from '../operations/telemetry/dispatch-log.ts'
import type { Service } from '../platform/queue/service.ts'
import { createSandbox } from '../platform/sandbox/sandbox.ts'
import { createDispatcher } from '../reactions/outbox/dispatcher.ts'
import type { OutboxHandler } from '../reactions/outbox/handler.ts'
import { traceHandler } from '../reactions/outbox/traced-handler.ts'
import { createWebhookHandler } from '../reactions/webhook-deliveries/handler.ts'
import { createRecoveryHandler } from '../reactions/webhook-recoveries/recoveries.ts'
import { createEndpointDirectory } from '../reactions/webhooks/endpoints.ts'
import { createUnreadableReport } from '../reactions/webhooks/unreadable.ts'
import { createDeadLetterReport } from './dead-letter-events.ts'
import { createEventConsumers } from './event-consumers.ts'
import { known } from './outbox-kinds.ts'
import type { Shared } from './shared.ts'

export function createDispatch(shared: Shared): Service[] {
  const { config, pool, owner, log, metrics, keyring, http, streams, signals, tracing, onError } = shared
  const reportDead = createDeadLetterReport(pool, onError('system events'))
  const sandbox = createSandbox({ workers: config.CARILLON_SCRIPT_WORKERS, onError: onError('sandbox') })
  metrics.scripts.watchSandbox(() => sandbox.size)
  const scriptHandlers = createScriptHandlers({
    pool,
    owner,
    sandbox,
    http,
    letterRoutes: { replay: replayRoutes, readdress: readdressRoute, listAttempts },
    maxPerTarget: config.CARILLON_SCRIPT_WORKERS * RUNS_PER_WORKER,
    onEffects: signals.onDue,
    onReplied: signals.onReplied,
    onRepeated: row => metrics.scripts.ran(row.source_kind, 'repeated', 0),
    onRun: metrics.scripts.ran,
  })
  const dispatcher = createDispatcher({
    pool,
    owner,
    handlers: known([
      createWebhookHandler({
        http,
        streams,
        endpoints: createEndpointDirectory({ pool, keyring }),
        maxPerEndpoint: config.CARILLON_WEBHOOK_CONCURRENCY,
        onUnreadable: createUnreadableReport(pool, onError('system events')),
      }),
      createRecoveryHandler(pool, () => signals.dispatch.call()),
      createReplayHandler(pool, createEventConsumers(shared)),
      ...scriptHandlers,
    ] as OutboxHandler[]).map(handler => traceHandler(tracing, handler)),
    wake: signals.dispatch,
    concurrency: config.CARILLON_DISPATCH_CONCURRENCY,
    leaseSeconds: config.CARILLON_LEASE_SECONDS,
    pollMs: config.CARILLON_POLL_MS,
    shutdownMs: config.CARILLON_SHUTDOWN_SECONDS * 1000,
    events: {
      onDispatched(row, completion, completed, durationMs) {
        metrics.dispatched(row.source_kind, outcomeOf(completion), durationMs)
        const tell = () => logDispatch(log, row, completion, completed, durationMs)
        if (tracing === undefined) tell()
        else tracing.within(row, tell)
        // What was dropped is told to whoever waits for it; a success has been told already.
        const inbox = completion.action === 'drop' ? inboxOf(row) : undefined
        if (inbox !== undefined) signals.onReplied(inbox)
      },
      onDead: (tenantId, source, _reason, depth) =>
        reportDead({ tenantId, source, count: 1, depth: depth + 1 }),
      onError: (error, doing) => onError(`dispatch: ${doing}`)(error),
    },
  })
  return [
    {
      ...dispatcher,
      async stop() {
        await dispatcher.stop()
        await sandbox.close()
      },
    },
  ]
}

/** Some wait for their thread, so that none is idle while a run is being stored. */
const RUNS_PER_WORKER = 2
