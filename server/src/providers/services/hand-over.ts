/** Delivery within Carillon: the message is written to our own database. */

import type { Message } from '../../content/messages/message.ts'
import { startDeadline } from '../../platform/outgoing/deadline.ts'
import type { Outcome } from './provider.ts'

/** Runs the write as one attempt: an error is worth a retry; an abort in the middle leaves the outcome uncertain. */
export async function handOver(
  message: Message,
  signal: AbortSignal,
  write: (message: Message) => Promise<void>,
): Promise<Outcome> {
  if (signal.aborted) return { kind: 'retry', message: 'the attempt was aborted before it began' }
  const deadline = startDeadline(signal)
  try {
    await deadline.race(write(message))
    return { kind: 'sent', provider_message_id: message.message_id }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { kind: deadline.signal.aborted ? 'uncertain' : 'retry', message: text }
  } finally {
    deadline.clear()
  }
}
