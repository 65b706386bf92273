/**
 * A CloudEvent as an intent. docs/guides/cloud-events.md has the table of what becomes what; extension attributes that are
 * not in it are ignored, as the standard wants.
 */
import { textOf, threadOf } from './attributes.ts'
import { audienceOf, listOf } from './audience.ts'
import type { CloudEvent } from './cloud-event.ts'
import { type Mapped, mapEvent } from './map-event.ts'

const FIELD_NAMES = {
  notification_type: 'type',
  idempotency_key: 'id',
  occurred_at: 'time',
  payload: 'data',
  send_at: 'sendat',
  expires_at: 'expirytime',
}

/** Never throws: what stands in the way is in `refusal`, and checkIntent() throws it. */
export function intentOf(event: CloudEvent): Mapped {
  const { attributes } = event
  return mapEvent(event, FIELD_NAMES, ({ type, key, data }) => ({
    notification_type: type,
    producer: textOf(attributes, 'producer'),
    idempotency_key: key,
    occurred_at: textOf(attributes, 'time'),
    payload: data,
    audience: audienceOf(attributes, data),
    channels: optionalList(textOf(attributes, 'channels')),
    send_at: textOf(attributes, 'sendat'),
    expires_at: textOf(attributes, 'expirytime'),
    template: textOf(attributes, 'template'),
    reason: textOf(attributes, 'reason'),
    thread: threadOf(attributes),
  }))
}

const optionalList = (text: string | undefined) => (text === undefined ? undefined : listOf(text))
