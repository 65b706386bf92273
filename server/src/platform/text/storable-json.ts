/**
 * JSON text of something from outside, as PostgreSQL can store it, also as jsonb: that takes neither NUL nor half a
 * character, and a row that it refuses would fail in a place where nobody can help it. Both become U+FFFD.
 */
export function toStorableJson(value: unknown): string {
  // Whole escapes, one after the other: the second half of an escaped backslash begins none.
  return JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, found =>
    /^\\u(0000|d[89a-f])/.test(found) ? '\uFFFD' : found,
  )
}
