/** Many events in one request: every item gets its own answer, and one bad item does not sink the rest. */
import type { EventBatchAnswer } from '@carillon/contract'
import { inWordsOf } from '../../intake/intents/submitted.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { EventWriter } from './append.ts'
import { checkEvent, type EventOrigin, type SubmittedEvent } from './event.ts'

export async function appendBatch(
  writer: EventWriter,
  items: SubmittedEvent[],
  origin: EventOrigin,
): Promise<EventBatchAnswer> {
  const answers = await Promise.all(
    items.map(async (item): Promise<EventBatchAnswer['items'][number]> => {
      try {
        const emitted = await writer.append(checkEvent(item, origin))
        return { status: 'accepted', ...emitted }
      } catch (thrown) {
        const error = inWordsOf(item, thrown)
        // Nothing is wrong with the item: the whole request is sent again.
        if (!(error instanceof Refusal) || error.code === 'unavailable') throw error
        const { code, message: detail, errors } = error
        return { status: 'failed', code, detail, ...(errors && { errors }) }
      }
    }),
  )
  return {
    accepted: answers.filter(answer => answer.status === 'accepted' && !answer.duplicate).length,
    duplicates: answers.filter(answer => answer.status === 'accepted' && answer.duplicate).length,
    failed: answers.filter(answer => answer.status === 'failed').length,
    items: answers,
  }
}
