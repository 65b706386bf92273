/** Queues: messages for the scripts whose triggers listen. */
import { z } from 'zod'
import { AddressName, JsonValue, Name } from './common.ts'

export const MAX_QUEUE_MESSAGE_BYTES = 262_144

export const QueueName = AddressName

export const NewQueueMessage = z.strictObject({
  message: JsonValue.describe('Any JSON of up to 256 KiB, passed on byte for byte'),
  ordering_key: Name(300)
    .optional()
    .describe('Messages with the same one reach each trigger one after the other, in the order they came'),
  delay_seconds: z.number().int().min(0).max(604_800).default(0).describe('At most seven days'),
})
export type NewQueueMessage = z.input<typeof NewQueueMessage>

export const QueuedMessage = z.object({
  matched: z
    .number()
    .int()
    .describe('How many triggers get it; 0: none listens, and the message was not kept'),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>
