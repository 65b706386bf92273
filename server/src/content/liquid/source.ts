/** The texts that make up a template, and the mistakes in them, with the position where their author finds them. */
import type { FieldError } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { toMistake } from './mistake.ts'
import type { Position } from './usage.ts'

/** A text written by an author: a field of the template, or a layout or partial that it uses. */
export interface Source {
  /** The field of the template that the text is in, or that uses the part. */
  field: string
  /** The layout or partial, as in `partial "row"`; undefined for the field's own text. */
  part?: string
  text: string
}

export function mistakeIn(source: Source, position: Position | undefined, message: string): FieldError {
  const { field, part } = source
  if (part === undefined) return { field, message, ...position }
  // In `line` and `column` it would point into the field's own text.
  const where = position === undefined ? '' : `, line ${position.line}, column ${position.column}`
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

/** Calls `parse`, and turns Liquid's errors into a refusal. */
export function parseOrRefuse<T>(source: Source, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof Refusal) throw error
    const { message, line, column } = toMistake(error)
    const position = line === undefined || column === undefined ? undefined : { line, column }
    throw invalidTemplate([mistakeIn(source, position, message)])
  }
}
