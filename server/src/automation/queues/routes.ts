/** POST /v1/queues/{name} */
import { MAX_QUEUE_MESSAGE_BYTES, NewQueueMessage, QueuedMessage, QueueName } from '@carillon/contract'
import { z } from 'zod'
import { refuseUnusableJson } from '../../platform/calls/json-field.ts'
import { originOf } from '../../platform/calls/principal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { memberText } from '../../platform/text/json-spans.ts'
import { fireQueueTriggers } from './queries.ts'

const QueueParams = z.object({ name: QueueName })

/** `onDue` is called after a message went to somebody. */
export function queueRoutes(app: App, pool: Pool, onDue: () => void): void {
  app.post(
    '/v1/queues/:name',
    {
      config: {
        scope: 'queues:write',
        unaudited: 'a message changes nothing by itself, and its runs are kept',
      },
      schema: {
        tags: ['queues'],
        summary: 'Send a message to every trigger that listens to the queue; without one, it is not kept',
        params: QueueParams,
        body: NewQueueMessage,
        response: { 202: QueuedMessage },
      },
    },
    async (request, reply) => {
      const { ordering_key = null, delay_seconds } = request.body
      const message_json = memberText(request.rawBody, 'message')
      refuseUnusableJson('message', message_json, MAX_QUEUE_MESSAGE_BYTES)
      const matched = await fireQueueTriggers(pool, request.principal.tenant_id, {
        queue: request.params.name,
        message_json,
        ordering_key,
        delay_ms: delay_seconds * 1000,
        origin: originOf(request.principal),
      })
      if (matched > 0) onDue()
      return reply.status(202).send({ matched })
    },
  )
}
