/** Events for tests: writing them by SQL, putting them in order, and consumers that a test defines. */
import { onTestFinished } from 'vitest'
import { createOrderer } from '../src/events/domain-events/orderer.ts'
import type { EventConsumer, LoggedEvent } from '../src/events/event-consumers/consumer.ts'
import { type Drained, drainPortion } from '../src/events/event-consumers/drain.ts'
import { createConsumerLoop } from '../src/events/event-consumers/loop.ts'
import type { Executor, Pool } from '../src/platform/database/pool.ts'
import { createWake } from '../src/platform/queue/wake.ts'

/** Writes an event in the caller's transaction; returns its id. */
export async function emit(db: Executor, event: object = {}): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select emit_event($1::jsonb) as id', [
    JSON.stringify({ kind: 'issue_opened', ...event }),
  ])
  return rows[0]!.id
}

/** Gives every committed event its place, as the orderer does. */
export async function orderAll(pool: Pool): Promise<void> {
  const tenants = 'select distinct tenant_id from domain_events where id is null'
  for (const { tenant_id } of (await pool.query(tenants)).rows)
    while ((await pool.query('select order_events($1, 1000) as n', [tenant_id])).rows[0].n > 0);
}

/** Puts events in order and has the consumer read all that the tenant's log has; returns how the last portion ended. */
export async function drainAll(pool: Pool, consumer: EventConsumer, tenantId: string): Promise<Drained> {
  await orderAll(pool)
  for (;;) {
    const drained = await drainPortion({ pool, consumer }, tenantId)
    if (drained !== 'more') return drained
  }
}

/** Deletes every event and puts every cursor back to the beginning. */
export async function emptyLog(pool: Pool): Promise<void> {
  await pool.query('delete from domain_events')
  await pool.query(
    `update domain_events_processed set last_event_id = 0, head_id = 0, chunk_cursor = '', tries = 0,
       last_error = '', next_attempt_at = null`,
  )
}

/** Makes the next try of every event that failed due. */
export async function retryNow(pool: Pool): Promise<void> {
  await pool.query("update domain_events_processed set next_attempt_at = now() - interval '1 second'")
}

/** A consumer under one of the names that tenants have cursors for. */
export function aConsumer(
  handle: (event: LoggedEvent, tx: Executor) => void | Promise<void>,
  more: Partial<EventConsumer> = {},
): EventConsumer {
  return {
    name: 'triggers',
    async handle(tx, event) {
      await handle(event, tx)
      return undefined
    },
    ...more,
  }
}

export interface RunningConsumer {
  readonly errors: unknown[]
  stop(): Promise<void>
}

/** Orders and reads until the test ends or stop() is called. */
export function startConsumer(pool: Pool, consumer: EventConsumer): RunningConsumer {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const wake = createWake()
  const services = [
    createOrderer({ pool, wake: createWake(), pollMs: 10, onOrdered: () => wake.call(), onError }),
    createConsumerLoop({ pool, consumer, wake, pollMs: 10, onDead: () => {}, onError }),
  ]
  for (const service of services) void service.start()
  let stopped: Promise<unknown> | undefined
  const stop = async () => {
    stopped ??= Promise.all(services.map(service => service.stop()))
    await stopped
  }
  onTestFinished(stop)
  return { errors, stop }
}
