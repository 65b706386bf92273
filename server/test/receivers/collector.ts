/** A collector of traces that speaks OTLP over HTTP in JSON, for tests: keeps every span. */
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  /** As the protocol numbers them: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  events: string[]
  isError: boolean
  traceparent: string
}

export interface Collector extends HttpReceiver {
  /** What CARILLON_TRACES_URL is set to. */
  readonly tracesUrl: string
  /** All spans so far, or those of one trace. */
  spans(traceId?: string): CollectedSpan[]
}

export async function startCollector(): Promise<Collector> {
  const receiver = await startHttpReceiver()
  return {
    ...receiver,
    tracesUrl: receiver.url.replace('/messages', '/v1/traces'),
    spans(traceId) {
      const all = receiver.requests.flatMap(({ body }) => spansOf(JSON.parse(body.toString())))
      return traceId === undefined ? all : all.filter(span => span.traceId === traceId)
    },
  }
}

// biome-ignore-start lint/suspicious/noExplicitAny: the protocol's own shape, which the tests are to prove
function spansOf(exported: any): CollectedSpan[] {
  return exported.resourceSpans.flatMap(({ scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) => spans.map(toSpan)),
  )
}

function toSpan(span: any): CollectedSpan {
  const { traceId, spanId, name, kind, links = [], events = [], status } = span
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanId,
    name,
    kind,
    attributes: Object.fromEntries(
      span.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]),
    ),
    links: links.map((link: any) => ({ traceId: link.traceId, spanId: link.spanId })),
    events: events.map((event: any) => event.name),
    isError: status?.code === 2,
    traceparent: `00-${traceId}-${spanId}-01`,
  }
}
// biome-ignore-end lint/suspicious/noExplicitAny: the protocol's own shape, which the tests are to prove
