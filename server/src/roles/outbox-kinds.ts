/** The kinds of rows that the outbox may have: those that dispatchers have a handler for. */
import { SCRIPT_EVENT_KINDS } from '@carillon/contract'
import { EVENT_CONSUMER } from '../events/event-consumers/failure.ts'
import type { OutboxHandler } from '../reactions/outbox/handler.ts'
import { RECOVERY_KIND } from '../reactions/webhook-recoveries/recoveries.ts'
import { WEBHOOK_KIND } from '../reactions/webhooks/webhooks.ts'

export const OUTBOX_KINDS: readonly string[] = [
  WEBHOOK_KIND,
  RECOVERY_KIND,
  EVENT_CONSUMER,
  ...SCRIPT_EVENT_KINDS,
]

/** The reconciler reports rows of other kinds, so a new handler has to be named here. */
export function known(handlers: OutboxHandler[]): OutboxHandler[] {
  const unknown = handlers.find(({ sourceKind }) => !OUTBOX_KINDS.includes(sourceKind))
  if (unknown !== undefined) throw new Error(`OUTBOX_KINDS lacks ${unknown.sourceKind}`)
  return handlers
}
