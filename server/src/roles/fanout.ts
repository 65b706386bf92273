/** The role `fanout`: turns large audiences into routes, and sends the intents of schedules. */
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
  ]
}
