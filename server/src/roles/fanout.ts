/**
 * The role `fanout`: turns large audiences into routes, sends the intents of schedules, fires cron triggers, ends
 * the snoozes of inboxes, and reads the logs of events.
 */
import { createCronTicker } from '../automation/triggers/cron-ticker.ts'
import { createOrderer } from '../events/domain-events/orderer.ts'
import { EVENT_CONSUMER } from '../events/event-consumers/failure.ts'
import { createConsumerLoop } from '../events/event-consumers/loop.ts'
import { createInboxWaker } from '../inbox/notifications/wake-loop.ts'
import { createScheduler } from '../intake/schedules/scheduler.ts'
import { createExpander } from '../planning/expansions/expander.ts'
import type { Service } from '../platform/queue/service.ts'
import { createWake } from '../platform/queue/wake.ts'
import { createDeadLetterReport } from './dead-letter-events.ts'
import { createEventConsumers } from './event-consumers.ts'
import type { Shared } from './shared.ts'

export function createFanout(shared: Shared): Service[] {
  const { config, pool, signals, tracing, onError } = shared
  const pollMs = config.CARILLON_POLL_MS
  const reportDead = createDeadLetterReport(pool, onError('system events'))
  const consumers = createEventConsumers(shared).map(consumer => ({ consumer, wake: createWake() }))
  return [
    createExpander({
      pool,
      wake: signals.expansion,
      pollMs,
      tracing,
      onExpanded: () => signals.onDue(),
      onError: onError('expander'),
    }),
    createScheduler({
      pool,
      wake: createWake(),
      pollMs,
      onAccepted: signals.onDue,
      onError: onError('scheduler'),
    }),
    createCronTicker({
      pool,
      wake: createWake(),
      pollMs,
      onFired: signals.onEmitted,
      onError: onError('cron ticker'),
    }),
    createInboxWaker({
      pool,
      wake: createWake(),
      pollMs,
      onInbox: signals.onInbox,
      onError: onError('inbox waker'),
    }),
    createOrderer({
      pool,
      wake: signals.ordering,
      pollMs,
      onOrdered() {
        for (const { wake } of consumers) wake.call()
      },
      onError: onError('event orderer'),
    }),
    ...consumers.map(({ consumer, wake }) =>
      createConsumerLoop({
        pool,
        consumer,
        wake,
        pollMs,
        onDead: (tenantId, { trigger_depth }) =>
          reportDead({ tenantId, source: EVENT_CONSUMER, count: 1, depth: trigger_depth + 1 }),
        onError: onError(`event consumer ${consumer.name}`),
      }),
    ),
  ]
}
