/** Wakes workers when something becomes due: those in this process directly, those elsewhere through the database. */
import { writeHints } from '../inbox/live/hints.ts'
import type { Role } from '../platform/config/settings.ts'
import { createHinter, createPayloadHinter, INBOX, REPLIED } from '../platform/database/listener.ts'
import type { Pool } from '../platform/database/pool.ts'
import { createHint, createWake, type Wake } from '../platform/queue/wake.ts'

const DISPATCH_HINT_INTERVAL_MS = 20
/** The roles whose work may become due through another process. */
export const WOKEN_ROLES: Role[] = ['delivery', 'fanout', 'dispatch']

export interface Signals {
  delivery: Wake
  expansion: Wake
  dispatch: Wake
  ordering: Wake
  /** Routes, audiences or outbox rows may be due. */
  onDue(): void
  /** Webhooks or handlers of dead letters have something to do. */
  onEmitted(): void
  /** There are events without a place in the log. */
  onEvents(): void
  /** A caller's reply is in its inbox. */
  onReplied(inboxId: string): void
  /** Inboxes of these people have changed; null: of anybody of the tenant. */
  onInbox(tenantId: string, userIds: string[] | null): void
  /** Wakes the workers of this process, for hints from another one. */
  wakeHere(): void
}

/** `wakeCaller` says whether the caller waits in this process. */
export function createSignals(pool: Pool, roles: Role[], wakeCaller: (inboxId: string) => boolean): Signals {
  const [delivery, expansion, dispatch, ordering] = [createWake(), createWake(), createWake(), createWake()]
  // Most of what is accepted concerns no webhook, so the outbox is not worth a look after every batch.
  const hintDispatch = createHint(dispatch, DISPATCH_HINT_INTERVAL_MS)
  const hinter = createHinter(pool)
  const hintReplied = createPayloadHinter(pool, REPLIED)
  const hintInbox = createPayloadHinter(pool, INBOX)
  const wakeHere = () => {
    delivery.call()
    expansion.call()
    ordering.call()
    hintDispatch()
  }
  const hasAllWokenRoles = WOKEN_ROLES.every(role => roles.includes(role))
  return {
    delivery,
    expansion,
    dispatch,
    ordering,
    wakeHere,
    onDue() {
      wakeHere()
      if (!hasAllWokenRoles) hinter.hint()
    },
    onEmitted() {
      if (roles.includes('dispatch')) dispatch.call()
      else hinter.hint()
    },
    onEvents() {
      if (roles.includes('fanout')) ordering.call()
      else hinter.hint()
    },
    onReplied(inboxId) {
      if (!wakeCaller(inboxId)) hintReplied(inboxId)
    },
    // Through the database also to this process: a person may be connected to several.
    onInbox(tenantId, userIds) {
      for (const hint of writeHints(tenantId, userIds)) hintInbox(hint)
    },
  }
}
