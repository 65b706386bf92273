/** /healthz, /readyz, /metrics: for orchestrators and Prometheus, without an API key of a tenant. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { isInstanceHeld } from '../restores/restores.ts'
import type { Metrics } from './metrics.ts'

const Health = z.object({ status: z.string() })
const Ready = Health.extend({
  note: z.string().optional().describe('What an operator has to know although it is ready'),
})

/** It answers and accepts, so it gets requests as always. */
const HELD =
  'This instance was restored from a backup and sends nothing until somebody runs “carillon restore release” or “carillon restore discard”.'

export interface Readiness {
  pool: Pool
  /** false while the process starts or stops. */
  isServing: () => boolean
  /** What Prometheus has to send as its bearer token; '' lets everybody read the metrics. */
  metricsKey?: string
}

export function healthRoutes(app: App, metrics: Metrics, readiness: Readiness): void {
  const tags = ['operation']
  app.get(
    '/healthz',
    {
      config: { scope: 'public', isProbe: true },
      schema: { tags, summary: 'The process is alive', response: { 200: Health } },
    },
    async () => ({ status: 'ok' }),
  )
  app.get(
    '/readyz',
    {
      config: { scope: 'public', isProbe: true },
      schema: { tags, summary: 'The process is ready to work', response: { 200: Ready, 503: Ready } },
    },
    async (_request, reply) => {
      const state = await readinessOf(readiness)
      return reply.status(state.status === 'ready' ? 200 : 503).send(state)
    },
  )
  app.get(
    '/metrics',
    {
      config: { scope: 'public', isProbe: true },
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
    async (request, reply) => {
      refuseStrangers(request.headers.authorization, readiness.metricsKey ?? '')
      return reply.type(metrics.contentType).send(await metrics.text())
    },
  )
}

/** A standby, or a primary that became one: it answers, but nothing can be accepted. */
const ONLY_READS = `select current_setting('transaction_read_only') = 'on' as only_reads`

function refuseStrangers(authorization: string | undefined, key: string): void {
  if (key === '' || isSame(authorization ?? '', `Bearer ${key}`)) return
  throw new Refusal('unauthenticated', 'Send CARILLON_METRICS_KEY as "Authorization: Bearer <key>".')
}

/** Compared as hashes, which have one length, so that the time it takes tells nothing. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** Its status is 'ready', or why it is not. */
export async function readinessOf({
  pool,
  isServing,
}: Pick<Readiness, 'pool' | 'isServing'>): Promise<z.infer<typeof Ready>> {
  if (!isServing()) return { status: 'stopping' }
  try {
    const { rows } = await pool.query<{ only_reads: boolean }>(ONLY_READS)
    if (rows[0]!.only_reads) return { status: 'database read-only' }
    return { status: 'ready', ...((await isInstanceHeld(pool)) && { note: HELD }) }
  } catch {
    return { status: 'database unreachable' }
  }
}
