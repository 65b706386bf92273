// @ts-check
/// <reference types="@carillon/sdk/scripts" />
/**
 * Counts orders as they come in, and tells the team about them every evening.
 *
 * Triggers: queue "orders", and cron "0 18 * * *".
 */
const NONE = { orders: 0, revenue: 0 }

export default async function run() {
  const today = (await kv.get('summary', 'today')) ?? NONE
  if (event.kind === 'queue') {
    const { total } = event.data.message
    await kv.set('summary', 'today', { orders: today.orders + 1, revenue: today.revenue + total })
    return
  }
  if (today.orders === 0) return 'nothing to tell'
  await notify({
    notification_type: 'daily_summary',
    audience: { kind: 'topic', topic: 'sales' },
    payload: { title: `${today.orders} orders today`, body: `Together ${today.revenue} €.`, ...today },
  })
  await kv.set('summary', 'today', NONE)
}
