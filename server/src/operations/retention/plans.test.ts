import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { readingOf, statementsOf } from '../../../test/plans.ts'
import { sweepRetention } from './retention.ts'

const full = useFullDatabase()

it('every sweep uses its index and fetches rows by ctid', {
  tags: ['S000-31', 'S002-25', 'S002-26', 'S003-28'],
}, async () => {
  const swept = new Set<string>()
  for (const { text, values } of await statementsOf(db => sweepRetention(db))) {
    const { whole, indexes } = await readingOf(full.pool, db => db.query(text, values))
    // every tenant has its own retention time
    expect([text, whole.filter(table => table !== 'tenant_retention')]).toEqual([text, []])
    for (const index of indexes) swept.add(index)
  }
  for (const table of [
    'records',
    'malformed_intents',
    'dead_letters',
    'captured_messages',
    'audit_logs',
    'runs',
  ])
    expect(swept).toContain(`${table}_listing`)
  for (const index of [
    'daily_sends_day',
    'capped_sends_created_at',
    'digests_old',
    'throttles_expired',
    'rate_limits_old',
    'limit_counters_expired',
    'sessions_expiry',
    'invitations_expiry',
    'push_tickets_old',
    'notification_email_log_old',
    'reply_inboxes_old',
    'abandoned_executions_old',
    'kv_entries_expired',
    'notifications_old',
    'notifications_gone',
    'domain_events_old',
  ])
    expect(swept).toContain(index)
})
