/** Reports what the readers of a process do, and what waits in their streams. One statement stores it for all of them. */
import type { StreamSetting } from '../../platform/config/stream-settings.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { storable } from '../../platform/text/cut.ts'
import type { KeptStream } from './keeper.ts'
import { reportStreams, type StreamReport } from './queries.ts'

const REPORT_MS = 5000
/** Until the tenants are found. */
const FIRST_MS = 200

export function createStreamReports(options: {
  pool: Pool
  streams: KeptStream[]
  onError: (error: unknown) => void
  reportMs?: number
}): Service {
  const { pool, streams, reportMs = REPORT_MS } = options
  const wake = createWake()
  return createLoop({
    name: 'stream reports',
    async round() {
      const reports = await Promise.all(streams.map(reportOf))
      const known = reports.filter(report => report !== undefined)
      if (known.length === 0) return FIRST_MS
      await reportStreams(pool, known)
      return reportMs
    },
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: options.onError,
  })
}

async function reportOf({ setting, reader, tenantId }: KeptStream): Promise<StreamReport | undefined> {
  if (tenantId === undefined) return undefined
  const sinceReadMs = reader.sinceRead()
  // A server that does not answer is told by the reader's own trouble.
  const { waiting, oldestAt } = await reader.lag().catch(() => ({ waiting: null, oldestAt: null }))
  return {
    tenant_id: tenantId,
    name: setting.name,
    kind: setting.kind,
    place: placeOf(setting),
    group_name: setting.group,
    read_seconds_ago: sinceReadMs === undefined ? null : sinceReadMs / 1000,
    last_error: storable(reader.trouble(), 1000, 'characters'),
    waiting,
    oldest_at: oldestAt?.toISOString() ?? null,
  }
}

function placeOf(setting: StreamSetting): string {
  if (setting.kind === 'redis') return setting.key
  return setting.subject === '' ? setting.stream : `${setting.stream} ${setting.subject}`
}
