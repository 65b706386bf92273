/** One span for what a consumer does about an event: it continues the trace of whoever emitted that. */
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { EventConsumer, LoggedEvent } from './consumer.ts'

export function traceConsumer(tracing: Tracing | undefined, consumer: EventConsumer): EventConsumer {
  if (tracing === undefined) return consumer
  const inSpan = <T>(event: LoggedEvent, doing: string, work: () => Promise<T>): Promise<T> => {
    const attributes = {
      'carillon.tenant_id': event.tenant_id,
      'carillon.event_id': event.event_id,
      'carillon.event_kind': event.kind,
    }
    const name = `${doing} ${consumer.name}`
    return tracing.span(name, { kind: 'consumer', parent: event.traceparent, attributes }, work)
  }
  const { prepare } = consumer
  return {
    ...consumer,
    ...(prepare && {
      prepare: (event, cursor) => inSpan(event, 'prepare', () => prepare(event, cursor)),
    }),
    handle: (tx, event, cursor, prepared) =>
      inSpan(event, 'consume', () => consumer.handle(tx, event, cursor, prepared)),
  }
}
