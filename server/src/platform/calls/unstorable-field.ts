/** Where something from outside has text that PostgreSQL cannot store: NUL, or half a character. */
import { MAX_DEPTH } from '../text/json-text.ts'

const UNSTORABLE = /\0|\p{Surrogate}/u

/** The first field with such text; the one around it, if it is the name of a field that has it. */
export function unstorableField(value: unknown, path: string[] = []): string | undefined {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? nameOf(path) : undefined
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const field = UNSTORABLE.test(key) ? nameOf(path) : unstorableField(inner, [...path, key])
    if (field !== undefined) return field
  }
  return undefined
}

const nameOf = (path: string[]): string => path.join('.') || 'body'
