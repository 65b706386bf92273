/**
 * Finds where a value is inside JSON text, so that a payload can be stored byte for byte. The text must already be
 * known to be valid JSON; the only thing checked here is that it does not end early.
 */

/** Thrown instead of searching forever. */
const INCOMPLETE_JSON = 'The JSON text is incomplete.'

export interface Span {
  start: number
  end: number
}

/** The value of an object's member. If the name is repeated, the last one counts, as in JSON.parse. */
export function memberSpan(text: string, object: Span, name: string): Span | undefined {
  return memberSpans(text, object, name).at(-1)
}

/** All values of a member whose name is repeated, in order. */
export function memberSpans(text: string, object: Span, name: string): Span[] {
  const found: Span[] = []
  let at = skipSpace(text, skipSpace(text, object.start) + 1)
  while (text[at] !== '}') {
    const keyEnd = skipString(text, at)
    const key = text.slice(at, keyEnd)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, start)
    if (key === `"${name}"` || (key.includes('\\') && JSON.parse(key) === name)) found.push({ start, end })
    at = nextItem(text, end)
  }
  return found
}

/** The text of a member that the object is known to have, so that no number loses a digit. */
export function memberText(text: string, name: string): string {
  const { start, end } = memberSpan(text, wholeText(text), name)!
  return text.slice(start, end)
}

/** The elements of an array, in order. */
export function elementSpans(text: string, array: Span): Span[] {
  const spans: Span[] = []
  let at = skipSpace(text, skipSpace(text, array.start) + 1)
  while (text[at] !== ']') {
    if (at >= text.length) throw new Error(INCOMPLETE_JSON)
    const end = skipValue(text, at)
    spans.push({ start: at, end })
    at = nextItem(text, end)
  }
  return spans
}

export const wholeText = (text: string): Span => ({ start: 0, end: text.length })

/** Steps over the comma after an item; stays on the closing bracket. */
function nextItem(text: string, end: number): number {
  const at = skipSpace(text, end)
  return text[at] === ',' ? skipSpace(text, at + 1) : at
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at++
  return at
}

function skipValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return skipString(text, start)
  if (first === '{' || first === '[') return skipNested(text, start)
  let at = start
  while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++
  return at
}

function skipNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = skipString(text, at) - 1
    else if (code === 0x7b || code === 0x5b) depth++
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1
  }
  throw new Error(INCOMPLETE_JSON)
}

function skipString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code === 0x5c) at++
  }
  throw new Error(INCOMPLETE_JSON)
}
