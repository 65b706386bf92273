/** Whether exactly the intents are there that were accepted by a moment. */
import type { StoredRecord } from '../kill-rounds/database.ts'
import type { Sending } from '../kill-rounds/producer.ts'

export interface Found {
  counts: Record<string, number>
  violations: string[]
}

/**
 * What was answered before the moment has to be there, what was sent after it must not. What was under way may be there or
 * not; if it is, then under the id that it was answered with.
 */
export function compareWithMoment(
  sendings: readonly Sending[],
  records: readonly StoredRecord[],
  at: number,
): Found {
  const kept = new Map(records.map(record => [record.idempotency_key, record.notification_id]))
  const before = sendings.filter(({ answeredAt }) => answeredAt !== undefined && answeredAt < at)
  const after = sendings.filter(({ startedAt }) => startedAt > at)
  const known = new Set(sendings.map(({ plan }) => plan.key))
  const name = ({ plan }: Sending) => plan.key
  return {
    counts: { 'intents that had to be there': before.length, 'that had to be gone': after.length },
    violations: [
      ...before.filter(({ plan }) => !kept.has(plan.key)).map(sending => `${name(sending)} is lost`),
      ...after.filter(({ plan }) => kept.has(plan.key)).map(sending => `${name(sending)} came later`),
      ...sendings
        .filter(({ plan, ids }) => kept.has(plan.key) && !ids.has(kept.get(plan.key)!))
        .map(
          sending => `${name(sending)} is ${kept.get(sending.plan.key)}, and was answered with another id`,
        ),
      ...[...kept.keys()].filter(key => !known.has(key)).map(key => `a record nobody sent: ${key}`),
    ],
  }
}
