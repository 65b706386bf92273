/** The API's intake in its own process. Variants differ only in the acceptor; keys, validation and ids are the same. */
import type { AddressInfo } from 'node:net'
import { type Acceptor, createAcceptor } from '../../../server/dist/intake/intents/accept.js'
import type { CheckedIntent } from '../../../server/dist/intake/intents/intent.js'
import { intakeRoutes } from '../../../server/dist/intake/intents/routes.js'
import { createMetrics, type Metrics } from '../../../server/dist/operations/telemetry/metrics.js'
import { createKeyDirectory } from '../../../server/dist/oversight/api-keys/api-keys.js'
import { createHinter } from '../../../server/dist/platform/database/listener.js'
import { createPool, type Pool } from '../../../server/dist/platform/database/pool.js'
import { createHttpServer } from '../../../server/dist/platform/http/server.js'
import { serveParent } from '../child.ts'
import { notMeasured } from '../not-measured.ts'
import { log } from '../quiet-log.ts'
import { fingerprint } from './fingerprint.ts'

export type Variant = 'durable' | 'fingerprint' | 'bare'

interface Input {
  variant: Variant
  databaseUrl: string
}

await serveParent(async ({ variant, databaseUrl }: Input) => {
  const pool = createPool(databaseUrl)
  const metrics = createMetrics(pool)
  const batches: number[] = []
  const acceptor = acceptorOf(variant, pool, metrics, size => batches.push(size))
  const keys = createKeyDirectory(pool, Date.now)
  const api = await createHttpServer({ log, authenticate: key => keys.authenticate(key) })
  intakeRoutes(api, pool, acceptor, { simulate: notMeasured })
  await api.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.server.address() as AddressInfo
  let spent = process.cpuUsage()

  return {
    async answer(question: 'address' | 'use') {
      if (question === 'address') {
        spent = process.cpuUsage()
        batches.length = 0
        return { url: `http://127.0.0.1:${port}` }
      }
      const { user, system } = process.cpuUsage(spent)
      const intents = batches.reduce((sum, size) => sum + size, 0)
      return { cpu_ms: (user + system) / 1000, intents_per_statement: intents / batches.length }
    },
    async stop() {
      await api.close()
      await acceptor.drained()
      await pool.end()
    },
  }
})

function acceptorOf(
  variant: Variant,
  pool: Pool,
  metrics: Metrics,
  onBatch: (size: number) => void,
): Acceptor {
  if (variant === 'durable') {
    // Without the delivery role, workers elsewhere are notified through the database.
    const hinter = createHinter(pool)
    return createAcceptor({
      pool,
      onAccepted: () => hinter.hint(),
      onBatch(size) {
        metrics.acceptedBatch(size)
        onBatch(size)
      },
    })
  }
  return {
    async accept(intent: CheckedIntent) {
      // Looking at the result keeps the hashing from being optimised away.
      if (variant === 'fingerprint' && fingerprint(intent) === '') throw new Error('no fingerprint')
      return { notification_id: intent.notification_id, status: 'accepted', duplicate: false }
    },
    drained: async () => {},
  }
}
