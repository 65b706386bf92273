/** Writes a request path from a template; values are encoded, so an id may contain any character. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeSegment))
}

/**
 * An empty segment would address the list instead of one of its items, and URL parsers resolve dots even when they are
 * percent-encoded. Deleting the wrong thing is worse than refusing an odd id.
 */
function encodeSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new TypeError(`"${value}" cannot be part of a Carillon address.`)
  }
  return encodeURIComponent(value)
}
