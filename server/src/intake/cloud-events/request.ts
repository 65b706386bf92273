/** The CloudEvents in a request: the content type tells structured and batched mode, the header ce-specversion binary mode. */
import type { IncomingHttpHeaders } from 'node:http'
import { elementSpans, wholeText } from '../../platform/text/json-spans.ts'
import { mediaTypeOf } from '../../platform/text/media-type.ts'
import { CLOUD_EVENT, CLOUD_EVENT_BATCH, type CloudEvent, readBinary, readStructured } from './cloud-event.ts'

export interface EventRequest {
  headers: IncomingHttpHeaders
  rawBody: string
  body: unknown
}

/** undefined if the body is no CloudEvent. */
export function cloudEventIn({ headers, rawBody, body }: EventRequest): CloudEvent | undefined {
  if (mediaTypeOf(headers['content-type']) === CLOUD_EVENT) return readStructured(rawBody, body)
  if (headers['ce-specversion'] === undefined) return undefined
  const single = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return readBinary(single, rawBody)
}

/** undefined if the body is no batch of them. */
export function cloudEventsIn({ headers, rawBody, body }: EventRequest): CloudEvent[] | undefined {
  if (mediaTypeOf(headers['content-type']) !== CLOUD_EVENT_BATCH || !Array.isArray(body)) return undefined
  const spans = elementSpans(rawBody, wholeText(rawBody))
  return body.map((value, i) => readStructured(rawBody, value, spans[i]!))
}
