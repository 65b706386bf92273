/**
 * Everybody in this process who waits for a reply. A hint makes it look at once, and a poll is the truth: one statement for
 * all of them, and none while nobody waits.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { deleteInbox, type InboxKey, type StoredReply, takeReplies } from './queries.ts'
import { keepAbandoned } from './replies.ts'

export interface WaitedInbox extends InboxKey {
  outbox_id: string
  script_id: string
}

export interface ReplyWaiter {
  /** undefined if there was none in time, or the caller left before. Either way the inbox is gone afterwards. */
  wait(inbox: WaitedInbox, timeoutMs: number, caller: AbortSignal): Promise<StoredReply | undefined>
  /** A reply may be there; '' means that any may. Returns whether somebody here waits for it. */
  hint(inboxId: string): boolean
  /** Ends every wait, as if its time were up. */
  giveUp(): void
}

export interface ReplyWaiterOptions {
  pool: Pool
  pollMs?: number
  onError: (error: unknown) => void
}

interface Waiting {
  inbox: WaitedInbox
  reply?: StoredReply
  wake(): void
}

const POLL_MS = 200

export function createReplyWaiter({ pool, pollMs = POLL_MS, onError }: ReplyWaiterOptions): ReplyWaiter {
  const waiting = new Map<string, Waiting>()
  const hinted = new Set<string>()
  let looking: Promise<void> | undefined
  let isPolling = false

  /** One look at a time; what is hinted at meanwhile is part of the next. */
  function look(): void {
    if (hinted.size === 0) return
    looking ??= takeHinted()
      .catch(onError)
      .finally(() => {
        looking = undefined
        look()
      })
  }

  async function takeHinted(): Promise<void> {
    const asked = new Map([...hinted].flatMap(id => (waiting.has(id) ? [[id, waiting.get(id)!]] : [])))
    hinted.clear()
    if (asked.size === 0) return
    const inboxes = [...asked.values()].map(({ inbox }) => inbox)
    for (const { id, ...reply } of await takeReplies(pool, inboxes)) {
      const found = asked.get(id)!
      found.reply = reply
      found.wake()
    }
  }

  function hintAll(): void {
    for (const id of waiting.keys()) hinted.add(id)
    look()
  }

  function pollWhileSomebodyWaits(): void {
    if (isPolling || waiting.size === 0) return
    isPolling = true
    setTimeout(() => {
      isPolling = false
      hintAll()
      pollWhileSomebodyWaits()
    }, pollMs)
  }

  /** Resolves with the reply, when the time is up, or when the caller leaves. */
  function untilWoken(entry: Waiting, timeoutMs: number, caller: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, timeoutMs)
      const wake = () => {
        clearTimeout(timer)
        caller.removeEventListener('abort', wake)
        resolve()
      }
      entry.wake = wake
      if (caller.aborted) wake()
      else caller.addEventListener('abort', wake)
    })
  }

  return {
    async wait(inbox, timeoutMs, caller) {
      const entry: Waiting = { inbox, wake: () => {} }
      waiting.set(inbox.id, entry)
      pollWhileSomebodyWaits()
      await untilWoken(entry, timeoutMs, caller)
      waiting.delete(inbox.id)
      // A look that has begun may just be taking the reply.
      await looking
      try {
        const reply = entry.reply ?? (await deleteInbox(pool, inbox))
        if (reply === undefined || !caller.aborted) return reply
        await keepAbandoned(pool, inbox.tenant_id, inbox.id, { ...inbox, ...reply })
      } catch (error) {
        // The inbox expires, and the sweep finds what is in it.
        onError(error)
      }
      return undefined
    },
    hint(inboxId) {
      if (inboxId === '') {
        hintAll()
        return waiting.size > 0
      }
      if (!waiting.has(inboxId)) return false
      hinted.add(inboxId)
      look()
      return true
    },
    giveUp() {
      for (const { wake } of waiting.values()) wake()
    },
  }
}
