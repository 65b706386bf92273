/** Spans of the API of OpenTelemetry, as the rest of the code sees them. Only loaded when there is a collector. */
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { activeSpan, runInside, runOutside } from './active-span.ts'
import { traceIdOf, validTraceparent } from './traceparent.ts'
import type { OpenSpan, SpanOptions, Tracing } from './tracing.ts'

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

export function createTracing(tracer: Tracer, close: Tracing['close']): Tracing {
  const spans = new WeakMap<object, OpenSpan>()

  function begin(name: string, { kind, parent, attributes, of }: SpanOptions = {}): OpenSpan {
    const options = { ...(kind && { kind: KINDS[kind] }), ...(attributes && { attributes }) }
    const span = open(tracer.startSpan(name, options, contextOf(parent)))
    if (of !== undefined) spans.set(of, span)
    return span
  }

  async function finish<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    try {
      return await span.run(() => work(span))
    } catch (error) {
      span.fail(typeOf(error))
      throw error
    } finally {
      span.end()
    }
  }

  function open(span: Span): OpenSpan {
    const context = span.spanContext()
    let hasFailed = false
    const opened: OpenSpan = {
      traceId: context.traceId,
      spanId: context.spanId,
      traceparent: traceparentOf(context),
      isRecorded: span.isRecording(),
      set: attributes => void span.setAttributes(attributes),
      note: (event, attributes, at) => void span.addEvent(event, attributes, at),
      fail(type) {
        if (hasFailed) return
        hasFailed = true
        span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
      },
      link: other => void span.addLink({ context: readTraceparent(other.traceparent)! }),
      run: work => runInside(opened, work),
      child: (name, options, work) =>
        finish(
          opened.run(() => begin(name, options)),
          work,
        ),
      batch(name, members, work) {
        const recorded = members.filter(({ isRecorded }) => isRecorded)
        if (recorded.length === 0) return runOutside(work)
        const links = recorded.map(({ traceparent }) => ({ context: readTraceparent(traceparent)! }))
        const attributes = { 'carillon.batch_size': members.length }
        const shared = open(tracer.startSpan(name, { attributes, links }, ROOT_CONTEXT))
        for (const member of recorded) member.link(shared)
        return finish(shared, work)
      },
      end: () => span.end(),
    }
    return opened
  }

  return {
    begin,
    span: (name, options, work) => finish(begin(name, options), work),
    within(item, work) {
      const span = spans.get(item)
      if (span === undefined) work()
      else span.run(work)
    },
    close,
  }
}

function contextOf(parent: string | undefined): Context {
  const active = activeSpan()
  const given = readTraceparent(parent ?? '')
  const isContinued = active !== undefined && (given === undefined || given.traceId === active.traceId)
  const context = isContinued ? readTraceparent(active.traceparent, false) : given
  return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context)
}

function readTraceparent(traceparent: string, isRemote = true): SpanContext | undefined {
  if (validTraceparent(traceparent) === undefined || traceparent.startsWith('ff')) return undefined
  const [, , spanId = '', flags = '00'] = traceparent.split('-')
  const context = {
    traceId: traceIdOf(traceparent),
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote,
  }
  return isSpanContextValid(context) ? context : undefined
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** What kind of error it was, and never its message. */
function typeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}
