/**
 * Spans as the rest of the code sees them. Attributes say what the work was about (tenant, channel, outcome), and never
 * contain addresses, payloads or messages of errors, which may repeat either: traces leave the machine.
 */
import type { Attributes } from '@opentelemetry/api'

export interface SpanOptions {
  kind?: 'server' | 'client' | 'producer' | 'consumer'
  /** The traceparent that it continues, if any. An active span of the same trace comes between the two. */
  parent?: string | undefined
  attributes?: Attributes
  /** within() finds the span by it. */
  of?: object
}

export interface OpenSpan {
  readonly traceId: string
  readonly spanId: string
  /** For whoever continues the trace. */
  readonly traceparent: string
  /** false: it is not sampled, and only passes its trace on. */
  readonly isRecorded: boolean
  set(attributes: Attributes): void
  /** A moment in the course of it. */
  note(event: string, attributes: Attributes, at?: Date): void
  /** The first type counts: whoever is nearest knows best. */
  fail(type: string): void
  link(other: OpenSpan): void
  /** Runs the work so that it finds the span by activeSpan(). */
  run<T>(work: () => T): T
  /** Runs the work in a span below this one. */
  child<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** Runs what several spans wait for in a span of a trace of its own, linked with those that are recorded. */
  batch<T>(name: string, members: OpenSpan[], work: () => Promise<T>): Promise<T>
  end(): void
}

export interface Tracing {
  /** For what begins and ends in different places; the caller has to end it. */
  begin(name: string, options?: SpanOptions): OpenSpan
  span<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** Runs the work in the span of an item, also if it has ended, so that its log lines name it. */
  within(item: object, work: () => void): void
  /** Sends what has not been sent, for as long as a shutdown may take. */
  close(timeoutMs: number): Promise<void>
}
