/** What was submitted, besides its parsed form: the text of it and of its payload, byte for byte. */
import type { SubmittedIntent } from './intent.ts'
import { elementSpans, memberSpan, type Span, wholeText } from './json-spans.ts'

export function toSubmitted(text: string, span: Span, value: unknown): SubmittedIntent {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const payload = isObject ? memberSpan(text, span, 'payload') : undefined
  return {
    value,
    text: text.slice(span.start, span.end),
    payloadText: payload === undefined ? '' : text.slice(payload.start, payload.end),
  }
}

/** The items of a batch, in the member of this name. */
export function submittedItems(text: string, member: string, values: unknown[]): SubmittedIntent[] {
  const spans = elementSpans(text, memberSpan(text, wholeText(text), member)!)
  return values.map((value, i) => toSubmitted(text, spans[i]!, value))
}
