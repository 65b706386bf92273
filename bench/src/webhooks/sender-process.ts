/** The dispatch role in its own process; and the same requests without queue, signature and record. */

import { logDispatch, outcomeOf } from '../../../server/dist/operations/telemetry/dispatch-log.js'
import { createMetrics } from '../../../server/dist/operations/telemetry/metrics.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createAddressGuard } from '../../../server/dist/platform/outgoing/address-guard.js'
import { createHttpClient } from '../../../server/dist/platform/outgoing/http-client.js'
import { createConcurrencyLimit } from '../../../server/dist/platform/queue/concurrency-limit.js'
import { createWake } from '../../../server/dist/platform/queue/wake.js'
import { createKeyring } from '../../../server/dist/platform/secrets/keyring.js'
import { createDispatcher } from '../../../server/dist/reactions/outbox/dispatcher.js'
import { createOutputStreams } from '../../../server/dist/reactions/output-streams/output-streams.js'
import { createWebhookHandler } from '../../../server/dist/reactions/webhook-deliveries/handler.js'
import { createEndpointDirectory } from '../../../server/dist/reactions/webhooks/endpoints.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'

interface Input {
  databaseUrl: string
  masterKey: string
}

export type Question = 'start' | 'stop' | { posts: number; url: string; body: string }

/** The defaults of CARILLON_WEBHOOK_CONCURRENCY and CARILLON_DISPATCH_CONCURRENCY. */
const PER_ENDPOINT = 32
const CONCURRENCY = 2000

await serveParent<Input, Question>(async ({ databaseUrl, masterKey }) => {
  const pool = createPool(databaseUrl)
  const http = createHttpClient({ guard: createAddressGuard(['127.0.0.0/8']) })
  const metrics = createMetrics(pool)
  const endpoints = createEndpointDirectory({ pool, keyring: createKeyring([masterKey]) })
  const start = () =>
    createDispatcher({
      pool,
      owner: 'bench',
      handlers: [
        createWebhookHandler({
          http,
          streams: createOutputStreams({}),
          endpoints,
          maxPerEndpoint: PER_ENDPOINT,
        }),
      ],
      wake: createWake(),
      concurrency: CONCURRENCY,
      leaseSeconds: 30,
      pollMs: 20,
      shutdownMs: 100,
      events: {
        onDispatched(row, completion, completed, durationMs) {
          metrics.dispatched(row.source_kind, outcomeOf(completion), durationMs)
          logDispatch(log, row, completion, completed, durationMs)
        },
        onDead: () => {},
        onError: error => console.error(error),
      },
    })
  let dispatcher: ReturnType<typeof start> | undefined

  return {
    async answer(question) {
      if (question === 'start') {
        dispatcher = start()
        return dispatcher.start()
      }
      if (question === 'stop') return dispatcher?.stop()
      const { posts, url, body } = question
      const limit = createConcurrencyLimit(PER_ENDPOINT * 10)
      const signal = new AbortController().signal
      const request = { method: 'POST', url, body, headers: { 'content-type': 'application/json' } } as const
      await Promise.all(
        Array.from({ length: posts }, () =>
          limit.run(() => http.send(request, { signal, timeoutMs: 10_000 })),
        ),
      )
    },
    async stop() {
      await dispatcher?.stop()
      await http.close()
      await pool.end()
    },
  }
})
