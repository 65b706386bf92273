/**
 * The span that the current work belongs to. Without tracing there never is one, and asking for it costs next to nothing:
 * so whatever only continues a trace asks here, and only what begins work is given the Tracing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { OpenSpan } from './tracing.ts'

const storage = new AsyncLocalStorage<OpenSpan>()

export const activeSpan = (): OpenSpan | undefined => storage.getStore()

export const runInside = <T>(span: OpenSpan, work: () => T): T => storage.run(span, work)

/** For work that belongs to none of those who happened to start it. */
export const runOutside = <T>(work: () => T): T => storage.exit(work)

/** What a log line says of it. */
export function activeIds(): { trace_id?: string; span_id?: string } {
  const span = activeSpan()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** For what is stored now and continued later: a row of the outbox, for one. */
export function withActiveTrace<T extends Record<string, unknown> | undefined>(context: T): T {
  const span = activeSpan()
  return span === undefined || context?.traceparent ? context : { ...context, traceparent: span.traceparent }
}
