/** What a failed call means for the person who looks. Pure. */
import { CarillonConnectionError, CarillonError, CarillonTokenError } from '@carillon/sdk/inbox'
import type { Connection } from './state.ts'

/** The server, or the way to it, is gone for now; the same call may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof CarillonConnectionError) return true
  return (
    error instanceof CarillonError && (error.status >= 500 || error.status === 429 || error.status === 408)
  )
}

export function connectionAfter(error: unknown): Connection {
  if (isTemporary(error)) return 'offline'
  const isOver =
    error instanceof CarillonTokenError || (error instanceof CarillonError && error.status === 401)
  return isOver ? 'signed-out' : 'failed'
}

/** The person's filter cannot be understood: nothing is wrong with the rest. */
export function isAboutFilter(error: unknown): boolean {
  if (!(error instanceof CarillonError) || error.status !== 400) return false
  // A character that cannot be stored can only have come from the filter, though no field is named.
  return error.code === 'unstorable_text' || error.errors.some(({ field }) => field === 'q')
}

/** At which character a filter is wrong, counted from 0. */
export function columnOf(error: unknown): number {
  return error instanceof CarillonError ? (error.errors[0]?.column ?? 1) - 1 : 0
}

export function textOf(error: unknown): string {
  if (error instanceof CarillonError) return error.errors[0]?.message ?? (error.detail || error.title)
  return error instanceof Error ? error.message : String(error)
}
