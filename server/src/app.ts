/** Starts a Carillon from a configuration and its roles. */
import type { Logger } from 'pino'
import { logSystemEvents } from './operations/telemetry/system-event-log.ts'
import type { Config } from './platform/config/config.ts'
import type { Role } from './platform/config/settings.ts'
import { createListener, DUE, INBOX, REPLIED } from './platform/database/listener.ts'
import { migrateUp } from './platform/database/migrate.ts'
import { createPool, type Pool } from './platform/database/pool.ts'
import { openDatabase } from './platform/embedded-database/open.ts'
import { announceRunning } from './platform/processes/running-carillon.ts'
import type { Service } from './platform/queue/service.ts'
import { shareZoneRules } from './platform/time/zone-rules.ts'
import { startApi } from './roles/api.ts'
import { createDelivery } from './roles/delivery.ts'
import { createDispatch } from './roles/dispatch.ts'
import { createFanout } from './roles/fanout.ts'
import { keepFirstKey } from './roles/first-key.ts'
import { startHealth } from './roles/health.ts'
import { createMaintenance } from './roles/maintenance.ts'
import { createShared, type Shared } from './roles/shared.ts'
import { WOKEN_ROLES } from './roles/signals.ts'

export interface StartOptions {
  config: Config
  roles: Role[]
  log: Logger
}

export interface Carillon {
  /** Where the API listens; undefined without the role `api`. */
  url: string | undefined
  /** Where /healthz, /readyz and /metrics have a port of their own; undefined when the API alone serves them. */
  healthUrl: string | undefined
  /** The first key, but only if this start created it. */
  firstKey: string | undefined
  databaseNote: string
  /** Resolves when something essential has failed and cannot be restarted. */
  failed: Promise<Error>
  stop(): Promise<void>
}

export async function startCarillon(options: StartOptions): Promise<Carillon> {
  const { config, log } = options
  const database = await openDatabase(config, line => log.info(line))
  const failed = new Promise<Error>(resolve => database.onLost(reason => resolve(new Error(reason))))
  const onError = (error: Error) => log.warn({ reason: error.message }, 'lost a database connection')
  const pool = createPool(database.url, {
    max: config.CARILLON_DATABASE_POOL,
    timeoutMs: config.CARILLON_DATABASE_TIMEOUT_SECONDS * 1000,
    onError,
  })
  const patientPool = createPool(database.url, { ...PATIENT, onError })
  const endPools = () => Promise.all([pool.end(), patientPool.end()])
  try {
    await migrateUp(database.ownerUrl, line => log.info({ migration: line }, 'migrated'))
    await agreeOnTimeZones(pool, log)
    const firstKey = await keepFirstKey(config, pool)
    const running = await startRoles(options, { pool, patientPool }, database.url)
    const withdraw = announce(config, running)
    return {
      url: running.url,
      healthUrl: running.healthUrl,
      firstKey,
      databaseNote: database.note,
      failed,
      async stop() {
        withdraw()
        await running.stop()
        await endPools()
        await database.close()
      },
    }
  } catch (error) {
    await endPools()
    await database.close()
    throw error
  }
}

/** Processes without the API that share a data folder leave it to the one that has it, unless they own its database. */
function announce(config: Config, { localUrl, keyring }: Running): () => void {
  if (localUrl === undefined && config.DATABASE_URL !== '') return () => {}
  return announceRunning(config.dataDir, { url: localUrl ?? null, master_key_ids: keyring.ids })
}

/** For what counts and deletes millions of rows and nobody waits for. */
const PATIENT = { max: 2, timeoutMs: 600_000 }
/** Node and PostgreSQL bring time zone data of their own; an operator should know when one of them is out of date. */
async function agreeOnTimeZones(pool: Pool, log: Logger): Promise<void> {
  const tz = process.versions.tz ?? ''
  const { given, outdated } = await shareZoneRules(pool, tz, new Date())
  if (given.length > 0)
    log.warn(
      { zones: given, tz },
      'PostgreSQL and Node have different rules for these time zones, so one of them is out of date; those of Node are used',
    )
  if (outdated.length > 0)
    log.warn(
      { zones: outdated, tz },
      'another process has newer rules for these time zones; update Node here, or quiet hours and digests differ',
    )
}

/** The roles that work in the background, each a list of services. */
const WORKERS: Record<Exclude<Role, 'api'>, (shared: Shared) => Service[]> = {
  fanout: createFanout,
  delivery: createDelivery,
  dispatch: createDispatch,
  maintenance: createMaintenance,
}

type Running = Awaited<ReturnType<typeof startRoles>>

async function startRoles(
  { config, roles, log }: StartOptions,
  pools: { pool: Pool; patientPool: Pool },
  databaseUrl: string,
) {
  const shared = await createShared({ config, roles, log, ...pools })
  const endLog = logSystemEvents(log)
  const services = Object.entries(WORKERS).flatMap(([role, create]) =>
    roles.includes(role as Role) ? create(shared) : [],
  )
  // Without its port nothing runs, and what is shared must not go on alone.
  const withdraw = async (error: unknown) => {
    endLog()
    await shared.close()
    throw error
  }
  const api = roles.includes('api') ? await startApi(shared).catch(withdraw) : undefined
  const needsHealth = api === undefined || config.CARILLON_HEALTH_PORT !== undefined
  const health = needsHealth ? await startHealth(shared) : undefined
  const listener = createListener(databaseUrl, {
    ...(roles.some(role => WOKEN_ROLES.includes(role)) && { [DUE]: shared.signals.wakeHere }),
    ...(roles.includes('api') && { [REPLIED]: shared.replies.hint, [INBOX]: shared.live.hint }),
  })
  for (const service of services) await service.start()
  return {
    url: api?.url,
    healthUrl: health?.url,
    localUrl: api?.localUrl,
    keyring: shared.keyring,
    /** First refuses new requests, then finishes the work in progress, then closes the connections. */
    async stop() {
      health?.announceStop()
      await api?.stop()
      await Promise.all(services.map(service => service.stop()))
      await listener.stop()
      await health?.close()
      await shared.close()
      endLog()
    },
  }
}
