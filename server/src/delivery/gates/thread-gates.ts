/** What is about a thread reaches only those who may see it, and have not left it. */
import type { Gate } from './gate.ts'
import { skip } from './obstacle.ts'

/** Asked again here, because a message may wait for days, and its topic may be private by then. */
export const notVisible: Gate = ({ route: { about } }) =>
  about?.is_hidden ? skip('not_visible', hiddenText(about.topic)) : undefined

/** A required category reaches its people all the same, as with everything else that they can switch off. */
export const threadUnsubscribed: Gate = ({ route: { about, required } }) => {
  if (about?.subscribed !== false || about.passes_mute) return undefined
  const { kind, id } = about.thread!
  const text = `The person has left the thread ${kind} "${id}"`
  if (!required) return skip('thread_unsubscribed', `${text}.`)
  return { kind: 'pass', note: `${text}, but the category is required.` }
}

function hiddenText(topic: string | null): string {
  return topic === null
    ? 'The person may not see what it is about.'
    : `The person may not see what happens in "${topic}".`
}
