/**
 * Tracing with the SDK of OpenTelemetry, to a collector that speaks OTLP over HTTP. Only loaded when there is one, since the
 * packages take time and memory. The collector is the operator's own, so the guard of outgoing HTTP does not apply to it.
 */
import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { createExportQueue } from './export-queue.ts'
import { createTracing } from './spans.ts'
import type { Tracing } from './tracing.ts'

export interface TracingOptions {
  /** Where the collector takes OTLP over HTTP; '' switches tracing off. */
  url: string
  /** The share of traces that begin here and are recorded. What a caller began is recorded if the caller does so. */
  ratio: number
  version: string
  /** Names this process. */
  instance: string
  onDropped: (count: number, reason: string) => void
}

/** A collector that hangs holds one batch for this long. */
const EXPORT_TIMEOUT_MS = 10_000
/** As many as a batch may have members. */
const MAX_LINKS = 256

export function connectCollector(options: TracingOptions): Tracing {
  const queue = createExportQueue({
    exporter: new OTLPTraceExporter({
      url: options.url,
      timeoutMillis: EXPORT_TIMEOUT_MS,
    }),
    onDropped: options.onDropped,
  })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'carillon',
      'service.version': options.version,
      'service.instance.id': options.instance,
    }),
    sampler: new ParentBasedSampler({ root: withBatches(new TraceIdRatioBasedSampler(options.ratio)) }),
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [queue],
  })
  return createTracing(provider.getTracer('carillon', options.version), timeoutMs => queue.close(timeoutMs))
}

/** What is shared by several traces is recorded if one of them is: it is linked only with those. */
function withBatches(other: Sampler): Sampler {
  return {
    shouldSample(
      context: Context,
      traceId: string,
      name: string,
      kind: SpanKind,
      attributes: Attributes,
      links: Link[],
    ) {
      return links.length > 0
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : other.shouldSample(context, traceId, name, kind, attributes, links)
    },
    toString: () => `WithBatches{${other}}`,
  }
}
