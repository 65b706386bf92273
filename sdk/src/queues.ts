/** Messages for the scripts whose triggers listen. */
import type { NewQueueMessage, QueuedMessage } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { path } from './path.ts'

export function createQueues(send: Send) {
  return {
    /** Never repeated by itself. `matched` is 0 if no trigger listens: then the message was not kept. */
    async send(queue: string, message: NewQueueMessage, options?: CallOptions): Promise<QueuedMessage> {
      return send({ method: 'POST', path: path`/v1/queues/${queue}`, body: message, ...options })
    },
  }
}
