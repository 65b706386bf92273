import { describe, expect, it } from 'vitest'
import { elementSpans, memberSpan, wholeText } from './json-spans.ts'

describe('a value inside JSON text', () => {
  it.each([
    ['{"payload": {"a": "}"}, "b": 1}', '{"a": "}"}'],
    ['{"payload":1,"payload":[2]}', '[2]'],
    ['{"\\u0070ayload": "x"}', '"x"'],
  ])('of %s is found as it was written', (text, expected) => {
    const span = memberSpan(text, wholeText(text), 'payload')!
    expect(text.slice(span.start, span.end)).toBe(expected)
  })

  it.each(['', '{', '{"a', '{"a":[1', '[', '[1', '["a'])(
    'of %j, which is incomplete, is not searched for forever',
    text => {
      expect(() => [memberSpan(text, wholeText(text), 'a'), elementSpans(text, wholeText(text))]).toThrow(
        'incomplete',
      )
    },
  )
})
