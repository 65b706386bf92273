/** POST /v1/callbacks/{provider id}: called by services, which are authenticated by their signature, not by an API key. */
import { z } from 'zod'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import type { ProviderConfigs } from '../../providers/provider-configs/directory.ts'
import { receiveCallback } from './callbacks.ts'

export function callbackRoutes(app: App, pool: Pool, configs: ProviderConfigs, publicUrl: string): void {
  void app.register(async scope => {
    // Signatures cover the raw bytes, and services send JSON, forms and text alike.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    ;(scope as unknown as App).post(
      '/v1/callbacks/:id',
      {
        config: {
          scope: 'public',
          unaudited: 'called by a service; nobody with an API key changes anything',
        },
        schema: {
          tags: ['providers'],
          summary: 'For services that report back',
          params: z.object({ id: z.uuid() }),
          response: { 200: z.object({ events: z.number().int(), applied: z.number().int() }) },
        },
      },
      async (request, reply) => {
        const { answer, ...counts } = await receiveCallback(pool, configs, request.params.id, {
          url: `${publicUrl.replace(/\/$/, '')}${request.url}`,
          headers: Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [
              name,
              Array.isArray(value) ? value[0] : value,
            ]),
          ),
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        })
        if (answer === undefined) return counts
        // Not JSON, so the schema of the answer does not apply.
        return reply.type(answer.contentType).send(answer.body as never)
      },
    )
  })
}
