/** Many intents in one request: every item gets its own answer, and one bad item does not sink the rest. */
import { type BatchAnswer, BatchItem } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { cut } from '../../platform/text/cut.ts'
import type { Acceptor } from './accept.ts'
import { checkIntent, type IntentOrigin, type SubmittedIntent } from './intent.ts'
import { isMalformed, type NewMalformedIntent, storeMalformed, withoutAttachments } from './malformed.ts'
import { inWordsOf } from './submitted.ts'

type BatchItemAnswer = BatchAnswer['items'][number]

export async function acceptBatch(
  pool: Pool,
  acceptor: Pick<Acceptor, 'accept'>,
  items: SubmittedIntent[],
  origin: IntentOrigin,
): Promise<BatchAnswer> {
  const malformed: { item: SubmittedIntent; refusal: Refusal }[] = []
  const answers = await Promise.all(
    items.map(async (item): Promise<BatchItemAnswer> => {
      try {
        const intent = checkIntent(item, origin, BatchItem)
        return await acceptor.accept(intent)
      } catch (thrown) {
        const error = inWordsOf(item, thrown)
        // Nothing is wrong with the item: the whole request is sent again.
        if (!(error instanceof Refusal) || error.code === 'unavailable') throw error
        // One that came too early is not malformed: its relay will send it again.
        if (isMalformed(error) && entryId(item) !== undefined) malformed.push({ item, refusal: error })
        return {
          status: 'failed',
          code: error.code,
          detail: error.message,
          ...(error.errors && { errors: error.errors }),
        }
      }
    }),
  )
  const rows = malformed.map(entry => toMalformed(entry, origin))
  await storeMalformed(pool, rows)
  return {
    accepted: answers.filter(answer => answer.status === 'accepted' && !answer.duplicate).length,
    duplicates: answers.filter(answer => answer.status === 'accepted' && answer.duplicate).length,
    failed: answers.filter(answer => answer.status === 'failed').length,
    items: answers,
  }
}

/** Fields of the entry that could not be read are ''. An entry belongs to its producer, as accepted ones do. */
function toMalformed(
  { item, refusal }: { item: SubmittedIntent; refusal: Refusal },
  origin: IntentOrigin,
): NewMalformedIntent {
  const fields = item.value as Record<string, unknown>
  const readable = (name: string) =>
    typeof fields[name] === 'string' ? cut(fields[name], 255, 'characters') : ''
  return {
    tenant_id: origin.tenant_id,
    source: origin.source,
    source_entry_id: entryId(item)!,
    notification_type: readable('notification_type'),
    producer: fields.producer === undefined ? origin.defaultProducer : readable('producer'),
    idempotency_key: readable('idempotency_key'),
    failure_code: refusal.code,
    failure_message: refusal.message,
    raw_json: withoutAttachments(item),
  }
}

function entryId(item: SubmittedIntent): string | undefined {
  const id = (item.value as { source_entry_id?: unknown } | null)?.source_entry_id
  return typeof id === 'string' && id.length >= 1 && id.length <= 255 ? id : undefined
}
