/**
 * The retention sweep: deletes what is past its tenant's retention time, in batches small enough to disturb nothing else.
 * The statements are in the rooms that own the tables.
 */
import { SWEEP_ABANDONED_EXECUTIONS, SWEEP_REPLY_INBOXES } from '../../automation/invocations/sweep.ts'
import { SWEEP_KV_ENTRIES } from '../../automation/kv/sweep.ts'
import { SWEEP_RUNS } from '../../automation/runs/sweep.ts'
import { SWEEP_IGNORED_CALLBACKS, SWEEP_UNRELATED_CALLBACKS } from '../../delivery/callbacks/sweep.ts'
import { SWEEP_DIGESTS } from '../../delivery/digests/sweep.ts'
import { SWEEP_EMAIL_LOG } from '../../delivery/email-log/sweep.ts'
import { SWEEP_PUSH_TICKETS } from '../../delivery/push-tickets/sweep.ts'
import { SWEEP_THROTTLES } from '../../delivery/throttles/sweep.ts'
import { SWEEP_DOMAIN_EVENTS } from '../../events/domain-events/sweep.ts'
import { SWEEP_GONE_NOTIFICATIONS, SWEEP_NOTIFICATIONS } from '../../inbox/notifications/sweep.ts'
import { SWEEP_ARCHIVED_RECORDS, SWEEP_MALFORMED_INTENTS, SWEEP_RECORDS } from '../../intake/intents/sweep.ts'
import { SWEEP_AUDIT_LOGS } from '../../oversight/audit-logs/sweep.ts'
import { SWEEP_INVITATIONS } from '../../oversight/invitations/sweep.ts'
import { SWEEP_LIMIT_COUNTERS, SWEEP_RATE_LIMITS } from '../../oversight/limits/sweep.ts'
import { SWEEP_SESSIONS } from '../../oversight/sessions/sweep.ts'
import { SWEEP_SYSTEM_EVENTS } from '../../oversight/system-events/sweep.ts'
import { SWEEP_CAPPED_SENDS, SWEEP_DAILY_SENDS } from '../../people/caps/sweep.ts'
import { SWEEP_DEVICES } from '../../people/devices/sweep.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { SWEEP_RECENT_SENDS } from '../../platform/rates/sweep.ts'
import { SWEEP_CAPTURED_MESSAGES } from '../../providers/captured-messages/sweep.ts'
import { warnOfExpiry } from '../../reactions/dead-letters/expiry.ts'
import { SWEEP_DEAD_LETTERS } from '../../reactions/dead-letters/sweep.ts'
import { SWEEP_KEPT_EVENTS, SWEEP_WEBHOOK_DELIVERIES } from '../../reactions/webhook-deliveries/sweep.ts'

export interface Swept {
  records: number
  archived_records: number
  malformed_intents: number
  dead_letters: number
  captured_messages: number
  webhook_deliveries: number
  kept_events: number
  audit_logs: number
  rate_limits: number
  limit_counters: number
  daily_sends: number
  capped_sends: number
  digests: number
  throttles: number
  devices: number
  ignored_callbacks: number
  unrelated_callbacks: number
  recent_sends: number
  push_tickets: number
  email_log: number
  runs: number
  reply_inboxes: number
  abandoned_executions: number
  kv_entries: number
  domain_events: number
  system_events: number
  sessions: number
  invitations: number
  notifications: number
  gone_notifications: number
}

const BATCH_ROWS = 1000
const LARGER_BATCHES: Partial<Record<keyof Swept, number>> = { dead_letters: 5000 }

/**
 * Records come first, since deleting them deletes much of the rest. The statements use `ctid = any (array(…))` so that the
 * planner fetches rows directly; joined to the subquery, it may read the whole table instead.
 */
const SWEEPS: Record<keyof Swept, string> = {
  records: SWEEP_RECORDS,
  archived_records: SWEEP_ARCHIVED_RECORDS,
  malformed_intents: SWEEP_MALFORMED_INTENTS,
  dead_letters: SWEEP_DEAD_LETTERS,
  captured_messages: SWEEP_CAPTURED_MESSAGES,
  webhook_deliveries: SWEEP_WEBHOOK_DELIVERIES,
  kept_events: SWEEP_KEPT_EVENTS,
  audit_logs: SWEEP_AUDIT_LOGS,
  rate_limits: SWEEP_RATE_LIMITS,
  limit_counters: SWEEP_LIMIT_COUNTERS,
  daily_sends: SWEEP_DAILY_SENDS,
  capped_sends: SWEEP_CAPPED_SENDS,
  digests: SWEEP_DIGESTS,
  throttles: SWEEP_THROTTLES,
  devices: SWEEP_DEVICES,
  ignored_callbacks: SWEEP_IGNORED_CALLBACKS,
  unrelated_callbacks: SWEEP_UNRELATED_CALLBACKS,
  recent_sends: SWEEP_RECENT_SENDS,
  push_tickets: SWEEP_PUSH_TICKETS,
  email_log: SWEEP_EMAIL_LOG,
  runs: SWEEP_RUNS,
  reply_inboxes: SWEEP_REPLY_INBOXES,
  abandoned_executions: SWEEP_ABANDONED_EXECUTIONS,
  kv_entries: SWEEP_KV_ENTRIES,
  domain_events: SWEEP_DOMAIN_EVENTS,
  system_events: SWEEP_SYSTEM_EVENTS,
  sessions: SWEEP_SESSIONS,
  invitations: SWEEP_INVITATIONS,
  notifications: SWEEP_NOTIFICATIONS,
  gone_notifications: SWEEP_GONE_NOTIFICATIONS,
}

export async function sweepRetention(pool: Pool): Promise<Swept> {
  const swept = Object.fromEntries(Object.keys(SWEEPS).map(name => [name, 0])) as unknown as Swept
  for (const [name, sql] of Object.entries(SWEEPS) as [keyof Swept, string][]) {
    const batchRows = LARGER_BATCHES[name] ?? BATCH_ROWS
    for (;;) {
      const { rowCount } = await pool.query(sql, [batchRows])
      swept[name] += rowCount ?? 0
      if ((rowCount ?? 0) < batchRows) break
    }
  }
  return swept
}

export function createRetentionSweeper(options: {
  pool: Pool
  wake: Wake
  intervalMs: number
  onSwept: (swept: Swept) => void
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'retention',
    round: async () => {
      await warnOfExpiry(options.pool)
      options.onSwept(await sweepRetention(options.pool))
      return options.intervalMs
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
