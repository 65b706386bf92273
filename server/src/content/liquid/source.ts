/** The texts that make up a template, and what is wrong with them, told so that their author finds the place. */
import type { FieldError } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { toMistake } from './mistake.ts'
import type { Place } from './usage.ts'

/** A text that somebody wrote: a field of the template, or a layout or partial it uses. */
export interface Source {
  /** The field of the template. */
  field: string
  /** The layout or partial, in words; undefined for the field's own text. */
  part?: string
  text: string
}

export function mistakeIn(source: Source, place: Place | undefined, message: string): FieldError {
  const { field, part } = source
  if (part === undefined) return { field, message, ...place }
  // Line and column would point into the field's text, which is another one.
  const where = place === undefined ? '' : `, line ${place.line}, column ${place.column}`
  return { field, message: `${part}${where}: ${message}` }
}

export function mistakeAt(source: Source, index: number, message: string): FieldError {
  const before = source.text.slice(0, index)
  const lineStart = before.lastIndexOf('\n') + 1
  return mistakeIn(source, { line: before.split('\n').length, column: index - lineStart + 1 }, message)
}

export function invalidTemplate(errors: FieldError[]): Refusal {
  const [first] = errors
  const where = first?.line === undefined ? '' : `, line ${first.line}`
  return new Refusal('invalid_template', `${first?.field}${where}: ${first?.message}`, errors)
}

/** Runs what parses the source; Liquid's own errors become ours. */
export function parsing<T>(source: Source, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof Refusal) throw error
    const { message, line, column } = toMistake(error)
    const place = line === undefined || column === undefined ? undefined : { line, column }
    throw invalidTemplate([mistakeIn(source, place, message)])
  }
}
