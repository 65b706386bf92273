/**
 * Looks after all streams that a process reads: finds their tenants, and lets the readers know of a pause. One statement
 * asks for all of them, and no server of a stream is asked anything: one that does not answer delays no other's pause.
 */
import { findTenantByName } from '../../oversight/tenants/tenants.ts'
import type { StreamSetting } from '../../platform/config/stream-settings.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { selectPaused } from './queries.ts'
import type { StreamReader } from './reader.ts'

/** A pause has to be noticed within a second. */
const PAUSE_POLL_MS = 400
const TENANTS_MS = 5000

export interface KeptStream {
  setting: StreamSetting
  reader: StreamReader
  /** Set while the tenant exists. */
  tenantId: string | undefined
}

export interface KeeperOptions {
  pool: Pool
  streams: KeptStream[]
  /** There is no such tenant, so the stream cannot be read. */
  onMissingTenant: (setting: StreamSetting) => void
  onError: (error: unknown) => void
}

export function createStreamKeeper(options: KeeperOptions): Service {
  const { pool, streams } = options
  const wake = createWake()
  let nextTenantsMs = 0

  async function findTenants(): Promise<void> {
    for (const stream of streams) {
      const { tenant } = stream.setting
      const found = await findTenantByName(pool, tenant === '' ? undefined : tenant)
      if (found === undefined) options.onMissingTenant(stream.setting)
      stream.tenantId = found?.id
    }
  }

  /** Those that may not read at the moment are told first; a database that is away changes nothing. */
  async function passOnPauses(): Promise<void> {
    const known = streams.flatMap(({ setting, tenantId }) =>
      tenantId === undefined ? [] : [{ tenant_id: tenantId, name: setting.name }],
    )
    const paused = new Set((await selectPaused(pool, known)).map(({ name }) => name))
    for (const { setting, reader, tenantId } of streams)
      reader.allow(tenantId !== undefined && !paused.has(setting.name))
  }

  return createLoop({
    name: 'stream keeper',
    async round() {
      if (performance.now() >= nextTenantsMs) {
        await findTenants()
        nextTenantsMs = performance.now() + TENANTS_MS
      }
      await passOnPauses()
      return PAUSE_POLL_MS
    },
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: options.onError,
  })
}
