/**
 * Repeats an event for one consumer, when its dead letter is replayed: a row of the outbox, whose target is the event. The
 * cursor stays where it is. It waits for whoever reads the tenant's log, and nobody reads it meanwhile.
 */
import { type Pool, transaction } from '../../platform/database/pool.ts'
import type { OutboxRow } from '../../reactions/outbox/claim.ts'
import type { DispatchOutcome, OutboxHandler } from '../../reactions/outbox/handler.ts'
import { findEvent } from '../domain-events/domain-events.ts'
import type { EventConsumer, LoggedEvent } from './consumer.ts'
import { EVENT_CONSUMER } from './failure.ts'
import { lockCursor } from './queries.ts'

export function createReplayHandler(pool: Pool, consumers: EventConsumer[]): OutboxHandler {
  return {
    sourceKind: EVENT_CONSUMER,
    maxPerTarget: 1,
    async handle(row) {
      const consumer = consumers.find(({ name }) => name === row.op)
      return { outcome: await replay(pool, consumer, row) }
    },
  }
}

async function replay(
  pool: Pool,
  consumer: EventConsumer | undefined,
  row: OutboxRow,
): Promise<DispatchOutcome> {
  if (consumer === undefined) return { kind: 'missing', message: `There is no consumer "${row.op}".` }
  const event = await findEvent(pool, row.tenant_id, row.target_id)
  if (event === undefined) return { kind: 'missing', message: 'The event was deleted.' }
  try {
    await handleAll(pool, consumer, event as LoggedEvent)
  } catch (error) {
    return { kind: 'retry', message: (error as Error).message }
  }
  consumer.onCommitted?.(row.tenant_id)
  return { kind: 'done' }
}

/** Every part of it in a transaction of its own, from the beginning: what was done before is not done again. */
async function handleAll(pool: Pool, consumer: EventConsumer, event: LoggedEvent): Promise<void> {
  const { tenant_id, event_id } = event
  const wanted = await consumer.wanted?.(pool, tenant_id, [event])
  if (wanted?.has(event_id) === false) return
  const isAsking = consumer.prepare !== undefined && ((await consumer.prepares?.(tenant_id)) ?? true)
  for (let chunkCursor: string | undefined = ''; chunkCursor !== undefined; ) {
    const from: string = chunkCursor
    const prepared = isAsking ? await consumer.prepare!(event, from) : undefined
    chunkCursor = await transaction(pool, async tx => {
      await lockCursor(tx, tenant_id, consumer.name)
      return consumer.handle(tx, event, from, prepared)
    })
  }
}
