/** The role `fanout`: turns large audiences into routes, sends the intents of schedules, and fires cron triggers. */
import { createCronTicker } from '../automation/triggers/cron-ticker.ts'
import { createScheduler } from '../intake/schedules/scheduler.ts'
import { createExpander } from '../planning/expansions/expander.ts'
import type { Service } from '../platform/queue/service.ts'
import { createWake } from '../platform/queue/wake.ts'
import type { Shared } from './shared.ts'

export function createFanout({ config, pool, signals, onError }: Shared): Service[] {
  const pollMs = config.CARILLON_POLL_MS
  return [
    createExpander({
      pool,
      wake: signals.expansion,
      pollMs,
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
  ]
}
