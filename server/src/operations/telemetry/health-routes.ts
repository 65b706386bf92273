/** /healthz, /readyz, /metrics: for orchestrators and Prometheus, without an API key. */
import { z } from 'zod'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import type { Metrics } from './metrics.ts'

const Health = z.object({ status: z.string() })

export interface Readiness {
  pool: Pool
  /** false while the process starts or stops. */
  isServing: () => boolean
}

export function healthRoutes(app: App, metrics: Metrics, readiness: Readiness): void {
  const tags = ['operation']
  app.get(
    '/healthz',
    {
      config: { scope: 'public' },
      schema: { tags, summary: 'The process is alive', response: { 200: Health } },
    },
    async () => ({ status: 'ok' }),
  )
  app.get(
    '/readyz',
    {
      config: { scope: 'public' },
      schema: { tags, summary: 'The process is ready to work', response: { 200: Health, 503: Health } },
    },
    async (_request, reply) => {
      const status = await readinessOf(readiness)
      return reply.status(status === 'ready' ? 200 : 503).send({ status })
    },
  )
  app.get(
    '/metrics',
    {
      config: { scope: 'public' },
      schema: {
        tags,
        summary: 'Prometheus metrics',
        response: {
          200: {
            description: 'Metrics in the Prometheus text format',
            content: { 'text/plain': { schema: z.string() } },
          },
        },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  )
}

/** A standby, or a primary that became one: it answers, but nothing can be accepted. */
const ONLY_READS = `select current_setting('transaction_read_only') = 'on' as only_reads`

async function readinessOf({ pool, isServing }: Readiness): Promise<string> {
  if (!isServing()) return 'stopping'
  try {
    const { rows } = await pool.query<{ only_reads: boolean }>(ONLY_READS)
    return rows[0]!.only_reads ? 'database read-only' : 'ready'
  } catch {
    return 'database unreachable'
  }
}
