/** One span per dispatch: it continues the trace that the row was written in, if its context says so. */
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { OutboxHandler } from './handler.ts'

export function traceHandler(tracing: Tracing | undefined, handler: OutboxHandler): OutboxHandler {
  if (tracing === undefined) return handler
  return {
    ...handler,
    handle(row, signal) {
      const { traceparent, notification_id, trigger_id, script_id } = row.context
      const attributes = {
        'carillon.tenant_id': row.tenant_id,
        'carillon.outbox_id': row.id,
        'carillon.source_kind': row.source_kind,
        'carillon.op': row.op,
        'carillon.target_id': row.target_id,
        'carillon.attempt': row.attempt_count,
        ...textsOf({
          'carillon.notification_id': notification_id,
          'carillon.trigger_id': trigger_id,
          'carillon.script_id': script_id,
        }),
      }
      const parent = typeof traceparent === 'string' ? traceparent : ''
      const options = { kind: 'consumer', parent, attributes, of: row } as const
      return tracing.span(`dispatch ${row.source_kind}`, options, async span => {
        const result = await handler.handle(row, signal)
        span.set({ 'carillon.outcome': result.outcome.kind })
        if (result.outcome.kind !== 'done' && result.outcome.kind !== 'busy') span.fail(result.outcome.kind)
        return result
      })
    },
  }
}

function textsOf(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
