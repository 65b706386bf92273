/** The kinds of audience in words, the same everywhere. */
import type { AudienceKind } from '@carillon/contract'

/** Those that an intent may name. */
export const AUDIENCE_KINDS: readonly AudienceKind[] = [
  'users',
  'topic',
  'addresses',
  'admin_email',
  'tenant',
]

export const AUDIENCE_NAMES: Record<AudienceKind | 'event', string> = {
  users: 'People',
  topic: 'Who watches a topic',
  addresses: 'Addresses',
  admin_email: 'The admins of the type',
  tenant: 'Everybody',
  event: 'Who an event concerns',
}
