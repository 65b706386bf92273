/** Letters by what they failed for: what an operator mends is a cause, and not a letter. */
import type { DeadLetterFilter, DeadLetterGroup, DeadLetterGroups } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { type GroupRow, type LetterState, selectLetterGroups } from './queries.ts'

const MAX_GROUPS = 100

export async function groupDeadLetters(
  db: Executor,
  tenantId: string,
  state: LetterState,
  filter: DeadLetterFilter,
): Promise<DeadLetterGroups> {
  const rows = await selectLetterGroups(db, tenantId, { filter, state, limit: MAX_GROUPS })
  return { data: rows.map(row => toGroup(row, filter)) }
}

function toGroup(row: GroupRow, filter: DeadLetterFilter): DeadLetterGroup {
  const { failure_reason, failure_classification, channel, provider, source } = row
  return {
    failure_reason,
    failure_classification,
    channel,
    provider,
    template: row.template === '' ? null : row.template,
    source,
    notification_types: row.notification_types,
    count: row.count,
    oldest_at: row.oldest_at.toISOString(),
    newest_at: row.newest_at.toISOString(),
    sample: {
      id: row.id,
      failure_message: row.failure_message,
      recovery_hint: row.recovery_hint,
      recipient_ref: row.recipient_ref,
    },
    filter: {
      ...filter,
      failure_reason,
      failure_classification,
      // work of the outbox has none, and its source tells it apart
      ...(channel !== null && { channel }),
      provider,
      template: row.template,
      source,
    },
  }
}
