/** What the API finds wrong, by the field it is in. */
import type { FieldError } from '@carillon/contract'

export interface Mistakes {
  /** To be marked at their lines, by field. */
  marked: Record<string, { line: number; column?: number; message: string }[]>
  /** To be said below a field, as they are at no line of it. */
  said: Record<string, string>
}

export function mistakesOf(errors: FieldError[]): Mistakes {
  const mistakes: Mistakes = { marked: {}, said: {} }
  for (const { field: path, message, line, column } of errors) {
    const field = path.replace(/^template\./, '')
    if (line === undefined) mistakes.said[field] = message
    else {
      mistakes.marked[field] ??= []
      mistakes.marked[field].push({ line, message, ...(column !== undefined && { column }) })
    }
  }
  return mistakes
}

/** Placeholders that are used and not declared yet. */
export function undeclaredIn(errors: FieldError[]): string[] {
  const names = errors.flatMap(
    ({ message }) => /^"(\w+)" is not declared in variables/.exec(message)?.[1] ?? [],
  )
  return [...new Set(names)]
}
