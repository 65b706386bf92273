/** What to say when a row names a user who does not exist. */
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'

/** For a statement whose only foreign key that a caller can miss is that of the user. */
export function refuseUnknownUser(error: unknown, userId: string, field = 'user_id'): never {
  if (!isDatabaseError(error, 'foreign_key_violation')) throw error
  throw new Refusal('recipient_not_found', `There is no user "${userId}".`, [
    { field, message: 'Create the user first.' },
  ])
}
