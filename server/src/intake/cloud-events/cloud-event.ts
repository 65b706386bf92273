/** CloudEvents 1.0 as they arrive: whole in JSON (structured mode), or as headers and data (binary mode). */
import { memberSpan, type Span, wholeText } from '../../platform/text/json-spans.ts'

export interface CloudEvent {
  /** Context attributes and extensions by name, not yet checked. Those that are null are left out. */
  attributes: Record<string, unknown>
  /** The JSON text of its data, as received; undefined if it has none. */
  dataText: string | undefined
  /** The whole event as JSON. */
  text: string
}

export const CLOUD_EVENT = 'application/cloudevents+json'
export const CLOUD_EVENT_BATCH = 'application/cloudevents-batch+json'

/** An event in the JSON format. The text must be valid JSON; `value` is what the span contains, parsed. */
export function readStructured(text: string, value: unknown, span: Span = wholeText(text)): CloudEvent {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) return { attributes: {}, dataText: undefined, text: text.slice(span.start, span.end) }
  const members = Object.entries(value).filter(([, member]) => member !== null)
  const { data, ...attributes } = Object.fromEntries(members)
  const found = data === undefined ? undefined : memberSpan(text, span, 'data')
  return {
    attributes,
    dataText: found && text.slice(found.start, found.end),
    text: text.slice(span.start, span.end),
  }
}

/** An event whose attributes are headers with the prefix `ce-`, and whose data is the body, as over HTTP and NATS. */
export function readBinary(headers: Iterable<[string, string]>, bodyText: string): CloudEvent {
  const attributes: Record<string, string> = {}
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (lower === 'content-type') attributes.datacontenttype = value
    else if (lower.startsWith('ce-')) attributes[lower.slice(3)] = percentDecoded(unquoted(value))
  }
  const dataText = bodyText.trim() === '' ? undefined : bodyText
  return { attributes, dataText, text: JSON.stringify({ ...attributes, data: dataText }) }
}

/** A value may be in double quotes, as header values may be; the standard wants these taken off before the rest. */
function unquoted(value: string): string {
  const [, inner] = /^"((?:[^"\\]|\\.)*)"$/.exec(value.trim()) ?? []
  return inner === undefined ? value : inner.replace(/\\(.)/g, '$1')
}

/** Header values are percent-encoded UTF-8. One that is not is meant as it is. */
function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
