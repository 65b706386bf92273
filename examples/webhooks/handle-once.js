/** What a receiver does with a verified event. Repeats are normal: an answer may be lost on its way back. */

// In a real application: a table with the id as its key, written in the same transaction as the work itself.
const handled = new Set()

export async function handleOnce(event) {
  if (handled.has(event.id)) return
  handled.add(event.id)
  console.log(`${event.type} ${event.data.notification_id ?? ''}`)
}
