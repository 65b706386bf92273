/** Spans for entries of streams: each continues the trace of whoever wrote the entry. */
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Acceptor } from '../intents/accept.ts'

export function traceEntries(
  tracing: Tracing | undefined,
  acceptor: Pick<Acceptor, 'accept'>,
  stream: { kind: string; name: string },
): Pick<Acceptor, 'accept'> {
  if (tracing === undefined) return acceptor
  return {
    accept: intent =>
      tracing.span(
        'receive entry',
        {
          kind: 'consumer',
          parent: intent.traceparent,
          attributes: {
            'messaging.system': stream.kind,
            'messaging.destination.name': stream.name,
            'carillon.tenant_id': intent.tenant_id,
          },
        },
        () => acceptor.accept(intent),
      ),
  }
}
