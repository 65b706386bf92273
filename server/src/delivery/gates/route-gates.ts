/** The gates that are decided by the route and its record alone. */
import type { Gate } from './gate.ts'
import { cancel, expire, postpone, skip } from './obstacle.ts'

export const cancelled: Gate = ({ route }) =>
  route.is_cancelled ? cancel('The notification was cancelled.') : undefined

export const expired: Gate = ({ route }) =>
  route.ms_to_deadline !== null && route.ms_to_deadline <= 0
    ? expire('expires_at passed before it could be sent.')
    : undefined

const SUSPENDED_MS = 600_000

export const tenantSuspended: Gate = ({ route }) =>
  route.is_suspended
    ? postpone('tenant_suspended', 'The operator has suspended the tenant.', SUSPENDED_MS)
    : undefined

export const recipientGone: Gate = ({ route }) =>
  route.user_id !== null && route.user_timezone === null
    ? skip('recipient_gone', 'The user does not exist any more.')
    : undefined

export const suppressed: Gate = ({ route }) =>
  route.suppression === null
    ? undefined
    : skip(
        'suppressed',
        `The address gets nothing more on this channel (${route.suppression.replace('_', ' ')}).`,
      )

/** was_read is set only on escalations. */
export const alreadyRead: Gate = ({ route }) =>
  route.was_read ? skip('read', 'It was read in the inbox, so nothing more is needed.') : undefined
