/** What was submitted, besides its parsed form: the text of it and of its payload, byte for byte. */

import { Refusal } from '../../platform/calls/refusal.ts'
import { elementSpans, memberSpan, type Span, wholeText } from '../../platform/text/json-spans.ts'
import type { SubmittedIntent } from './intent.ts'

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

/** The problem, with the names that the sender gave to the fields. Other errors stay as they are. */
export function inWordsOf({ fieldNames }: Pick<SubmittedIntent, 'fieldNames'>, error: unknown): unknown {
  if (fieldNames === undefined || !(error instanceof Refusal) || error.errors === undefined) return error
  const renamed = (field: string) => {
    const [first = '', ...rest] = field.split('.')
    return [fieldNames[first] ?? first, ...rest].join('.')
  }
  const errors = error.errors.map(entry => ({ ...entry, field: renamed(entry.field) }))
  const prefix = `${error.errors[0]?.field}: `
  const detail = error.message.startsWith(prefix)
    ? `${errors[0]?.field}: ${error.message.slice(prefix.length)}`
    : error.message
  return new Refusal(error.code, detail, errors, error.retryAfterSeconds)
}

/** What the work throws, in the same words. */
export async function answeredInWordsOf<T>(submitted: SubmittedIntent, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw inWordsOf(submitted, error)
  }
}
