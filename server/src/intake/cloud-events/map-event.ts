/** What every mapping of a CloudEvent does: reads what all events have, and turns a refusal into a value. */
import { Refusal } from '../../platform/calls/refusal.ts'
import { dataOf, requiredOf, textOf } from './attributes.ts'
import type { CloudEvent } from './cloud-event.ts'

/** What is submitted in place of the event. */
export interface Mapped {
  /** The body; of an event that cannot be one, only what could be read. */
  value: Record<string, unknown>
  /** The event as JSON. */
  text: string
  payloadText: string
  traceparent?: string | undefined
  /** Why it cannot be one, where the event itself is to blame. */
  refusal?: Refusal
  /** What the fields of the body are called in the event, so that problems name what its sender wrote. */
  fieldNames: Record<string, string>
}

export interface ReadEvent {
  type: string
  /** Of source and id. */
  key: string
  data: unknown
}

export function mapEvent(
  event: CloudEvent,
  fieldNames: Record<string, string>,
  toBody: (read: ReadEvent) => Record<string, unknown>,
): Mapped {
  const { attributes, text } = event
  try {
    const required = requiredOf(event)
    const data = dataOf(event)
    return {
      value: withoutUndefined(toBody({ ...required, data: data?.value })),
      text,
      payloadText: data?.text ?? '',
      traceparent: textOf(attributes, 'traceparent'),
      fieldNames,
    }
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    const value = withoutUndefined({ notification_type: attributes.type, producer: attributes.producer })
    return { value, text, payloadText: '', refusal, fieldNames }
  }
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
