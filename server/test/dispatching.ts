/** A dispatcher with handlers defined by the test. */
import { onTestFinished } from 'vitest'
import type { Pool } from '../src/platform/database/pool.ts'
import { createWake } from '../src/platform/queue/wake.ts'
import type { OutboxRow } from '../src/reactions/outbox/claim.ts'
import type { DispatchCompletion } from '../src/reactions/outbox/complete.ts'
import { createDispatcher, type DispatcherOptions } from '../src/reactions/outbox/dispatcher.ts'
import type { DispatchOutcome, OutboxHandler } from '../src/reactions/outbox/handler.ts'

export interface TestDispatcher {
  /** Everything that was dispatched, in the order of completion. */
  readonly dispatched: { row: OutboxRow; completion: DispatchCompletion; completed: boolean }[]
  readonly errors: { error: unknown; doing: string }[]
  stop(): Promise<void>
}

let unique = 0

/** Runs until the test ends or stop() is called. */
export function startDispatcher(
  pool: Pool,
  // biome-ignore lint/suspicious/noExplicitAny: handlers have details of any kind
  handlers: OutboxHandler<any>[],
  options: Partial<DispatcherOptions> = {},
): TestDispatcher {
  const dispatched: TestDispatcher['dispatched'] = []
  const errors: TestDispatcher['errors'] = []
  const dispatcher = createDispatcher({
    pool,
    owner: `dispatcher-${++unique}`,
    handlers,
    wake: createWake(),
    concurrency: 500,
    leaseSeconds: 30,
    pollMs: 20,
    shutdownMs: 5000,
    events: {
      onDispatched: (row, completion, completed) => dispatched.push({ row, completion, completed }),
      onDead: () => {},
      onError: (error, doing) => errors.push({ error, doing }),
    },
    ...options,
  })
  void dispatcher.start()
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= dispatcher.stop()
    return stopped
  }
  onTestFinished(stop)
  return { dispatched, errors, stop }
}

/** A handler whose outcome the function decides. */
export function aHandler(
  handle: (row: OutboxRow, signal: AbortSignal) => DispatchOutcome | Promise<DispatchOutcome>,
  options: Partial<OutboxHandler> = {},
): OutboxHandler {
  return {
    sourceKind: 'test',
    maxPerTarget: 100,
    handle: async (row, signal) => ({ outcome: await handle(row, signal) }),
    ...options,
  }
}
