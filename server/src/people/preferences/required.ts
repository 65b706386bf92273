/** A required category cannot be switched off, by a person or by the defaults. */
import type { FieldError, Preferences } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { listRequired } from '../categories/categories.ts'

type Categories = Preferences['categories']

/**
 * What was switched off before the category became required may stay in the document: it is not heeded, and whoever saves
 * something else need not know of it.
 */
export async function refuseLeaving(
  db: Executor,
  tenantId: string,
  stored: Categories,
  saved: Categories,
): Promise<void> {
  const left = Object.entries(saved).flatMap(([category, byChannel]) =>
    Object.entries(byChannel)
      .filter(([channel, wanted]) => !wanted && !isOff(stored, category, channel))
      .map(([channel]) => ({ category, field: `categories.${category}.${channel}` })),
  )
  if (left.length === 0) return
  const required = new Set((await listRequired(db, tenantId)).map(({ category }) => category))
  const errors = left
    .filter(({ category }) => required.has(category))
    .map(({ field }): FieldError => ({ field, message: CANNOT_BE_LEFT }))
  if (errors.length > 0)
    throw new Refusal('category_required', `${errors[0]!.field}: ${CANNOT_BE_LEFT}`, errors)
}

const CANNOT_BE_LEFT = 'The category is required: it cannot be switched off.'

function isOff(stored: Categories, category: string, channel: string): boolean {
  if (!Object.hasOwn(stored, category)) return false
  return stored[category]![channel as keyof Categories[string]] === false
}
