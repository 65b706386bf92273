/** What a row of the outbox says about the run it asks for. */
import type { OutboxRow } from '../../reactions/outbox/claim.ts'

export const DEAD_LETTER_KIND = 'dead_letter'

/** Where somebody waits for the run; undefined when nobody does. */
export function inboxOf({ context }: Pick<OutboxRow, 'context'>): string | undefined {
  return typeof context.reply_to === 'string' ? context.reply_to : undefined
}

/** As of when the row was written; a trigger may have been given another script since. */
export function scriptIdOf({ context, target_id }: OutboxRow): string {
  return typeof context.script_id === 'string' ? context.script_id : target_id
}

export function originOf({ context }: OutboxRow): string {
  return typeof context.origin === 'string' ? context.origin : ''
}
