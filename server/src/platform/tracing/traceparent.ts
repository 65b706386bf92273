/** The header traceparent of W3C Trace Context: which trace something belongs to, and after which span. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** A malformed header is dropped, as the standard requires. */
export function validTraceparent(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined
}

/** '' if there is none. */
export function traceIdOf(traceparent: string): string {
  return traceparent.split('-')[1] ?? ''
}
