/** A CloudEvent as an event of the application; docs/guides/cloud-events.md has the table of what becomes what. */
import { parseText, refuse, textOf, threadOf } from '../../intake/cloud-events/attributes.ts'
import type { CloudEvent } from '../../intake/cloud-events/cloud-event.ts'
import { type Mapped, mapEvent } from '../../intake/cloud-events/map-event.ts'

const FIELD_NAMES = {
  kind: 'type',
  idempotency_key: 'id',
  occurred_at: 'time',
  payload: 'data',
  actor_id: 'actor',
  is_public: 'public',
}

/** Never throws: what stands in the way is in `refusal`, and checkEvent() throws it. */
export function eventOf(event: CloudEvent): Mapped {
  const { attributes } = event
  return mapEvent(event, FIELD_NAMES, ({ type, key, data }) => ({
    kind: type,
    producer: textOf(attributes, 'producer'),
    idempotency_key: key,
    occurred_at: textOf(attributes, 'time'),
    payload: data,
    actor_id: textOf(attributes, 'actor'),
    topic: textOf(attributes, 'topic'),
    thread: threadOf(attributes),
    is_public: booleanOf(attributes, 'public'),
    relations: relationsOf(attributes, data),
  }))
}

/** Headers have no booleans. */
function booleanOf(attributes: CloudEvent['attributes'], name: string): boolean | undefined {
  const value = attributes[name]
  if (value === undefined || typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw refuse('invalid_request', name, 'Expected true or false.')
}

/** Attributes are text, so it is JSON there. Without it, data may have them. */
function relationsOf(attributes: CloudEvent['attributes'], data: unknown): unknown {
  const text = textOf(attributes, 'relations')
  if (text !== undefined) return parseText(text, 'relations', 'invalid_request').value
  return (data as { relations?: unknown } | null | undefined)?.relations
}
