// @ts-check
/// <reference types="@carillon/sdk/scripts" />
/**
 * Counts failed payments per hour, and tells operators when there are too many.
 *
 * Trigger: queue "payment-failed".
 */
const TOO_MANY = 10

export default async function run() {
  const hour = event.at.slice(0, 13)
  const count = ((await kv.get('payment-failures', hour)) ?? 0) + 1
  await kv.set('payment-failures', hour, count, { ttl_seconds: 7200 })
  if (count === TOO_MANY)
    await systemEvents.raise({
      event_type: 'payments_failing',
      severity: 'high',
      description: `${count} payments have failed within an hour.`,
      details: { hour },
    })
  return count
}
