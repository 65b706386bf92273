/** The role `delivery`: claims due routes, passes them through the gates, renders and sends them. */
import { withLabels } from '../content/messages/link-labels.ts'
import { createMailLinks } from '../content/messages/mail-links.ts'
import { createReplyAddresses } from '../content/messages/reply-to.ts'
import { createDeliveryWorker } from '../delivery/attempts/worker.ts'
import { createReceiptFetcher } from '../delivery/push-tickets/push-tickets.ts'
import { createVisibility } from '../inbox/visibility/visibility.ts'
import { logAttempt } from '../operations/telemetry/attempt-log.ts'
import type { Service } from '../platform/queue/service.ts'
import { createWake } from '../platform/queue/wake.ts'
import { createReleaseLoop } from '../providers/provider-configs/release-loop.ts'
import { createDeadLetterReport } from './dead-letter-events.ts'
import type { Shared } from './shared.ts'

export function createDelivery(shared: Shared): Service[] {
  const {
    config,
    pool,
    owner,
    http,
    log,
    metrics,
    directory,
    templates,
    keyring,
    signals,
    tracing,
    onError,
  } = shared
  const reportDead = createDeadLetterReport(pool, onError('system events'))
  return [
    createDeliveryWorker({
      pool,
      owner,
      candidates: (tenantId, channel) => directory.candidates(tenantId, channel),
      fillTemplate: templates.fillTemplate,
      layOut: templates.layOut,
      links: withLabels(
        createMailLinks(keyring, config.CARILLON_PUBLIC_URL, Date.now),
        templates.translateFor,
      ),
      replyAddress: createReplyAddresses(keyring),
      tracing,
      askVisibility: createVisibility({ pool, keyring, http }).ask,
      wake: signals.delivery,
      concurrency: config.CARILLON_DELIVERY_CONCURRENCY,
      leaseSeconds: config.CARILLON_LEASE_SECONDS,
      pollMs: config.CARILLON_POLL_MS,
      shutdownMs: config.CARILLON_SHUTDOWN_SECONDS * 1000,
      events: {
        onAttempt(route, completion, completed) {
          metrics.attempted(route.channel, completion.outcome, completion.duration_ms)
          if (completed && !completion.uses_attempt)
            metrics.heldBack(route.channel, completion.outcome, completion.reason)
          const tell = () => logAttempt(log, route, completion, completed)
          if (tracing === undefined) tell()
          else tracing.within(route, tell)
        },
        onDead: (tenantId, count) => reportDead({ tenantId, source: '', count }),
        onEmitted: signals.onEmitted,
        onError: (error, doing) => onError(`delivery: ${doing}`)(error),
      },
    }),
    createReceiptFetcher({ pool, directory, wake: createWake(), onError: onError('push receipts') }),
    createReleaseLoop(directory, onError('providers: release')),
  ]
}
