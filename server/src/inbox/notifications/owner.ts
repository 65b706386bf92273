/** Whose inbox a request is about. */

import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'

export interface InboxOwner {
  tenantId: string
  userId: string
}

/** The user that the query names, or the key's own. The one place that decides it, for every route of the inbox. */
export function inboxOwner(request: { principal: Principal; query: unknown }): InboxOwner {
  const { tenant_id, user_id } = request.principal
  const { user_id: named } = request.query as { user_id?: string }
  const userId = named ?? user_id
  if (userId === null) {
    throw new Refusal('missing_field', 'Say whose inbox is meant.', [
      { field: 'user_id', message: 'Required, since the key belongs to nobody.' },
    ])
  }
  return { tenantId: tenant_id, userId }
}
