/**
 * The delivery role in its own process. The provider accepts each message at once, except those of the loud tenant when it
 * is told to hang, and records how old the quiet tenant's messages were when it was called.
 */
import { createDeliveryWorker } from '../../../server/dist/delivery/attempts/worker.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createWake } from '../../../server/dist/platform/queue/wake.js'
import type { Provider } from '../../../server/dist/providers/services/provider.js'
import { serveParent } from '../child.ts'

interface Input {
  databaseUrl: string
  quietTenant: string
}
export type Question = 'hang' | 'pass' | 'stop' | { await: number }

await serveParent<Input, Question>(async ({ databaseUrl, quietTenant }) => {
  const pool = createPool(databaseUrl)
  let latencies: number[] = []
  let isHanging = false
  let worker: ReturnType<typeof createDeliveryWorker> | undefined
  let onArrival = () => {}

  const provider: Provider = {
    name: 'bench',
    async send(message, signal) {
      if (message.tenant_id === quietTenant) {
        latencies.push(Date.now() - (message.payload as { sent_at: number }).sent_at)
        onArrival()
      } else if (isHanging) {
        await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      }
      return { kind: 'sent' }
    },
    close: async () => {},
  }
  const candidate = { name: 'bench', provider, reportsBack: false, uncertainPolicy: 'resend' as const }

  async function start(): Promise<void> {
    latencies = []
    worker = createDeliveryWorker({
      pool,
      owner: `bench-${Date.now()}`,
      candidates: async () => [candidate],
      wake: createWake(),
      concurrency: 125,
      leaseSeconds: 30,
      pollMs: 5,
      shutdownMs: 0,
      events: { onAttempt: () => {}, onDead: () => {}, onError: error => console.error(error) },
    })
    await worker.start()
  }

  return {
    async answer(question) {
      if (question === 'stop') return worker?.stop()
      if (question === 'hang' || question === 'pass') {
        isHanging = question === 'hang'
        return start()
      }
      while (latencies.length < question.await)
        await new Promise<void>(resolve => {
          onArrival = resolve
        })
      return latencies
    },
    async stop() {
      await worker?.stop()
      await pool.end()
    },
  }
})
