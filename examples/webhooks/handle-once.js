/** What a receiver does with an event that it has verified. Repeats are normal, since its answer may be lost. */

// In production, use a table with the id as its key, written in the same transaction as the work itself.
const handled = new Set()

export async function handleOnce(event) {
  if (handled.has(event.id)) return
  handled.add(event.id)
  console.log(`${event.type} ${event.data.notification_id ?? ''}`)
}
