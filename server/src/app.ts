/** Starts a Carillon from a configuration and its roles. */
import type { Logger } from 'pino'
import { createBackupSchedule } from './operations/backups/schedule.ts'
import { playgroundLink } from './operations/playground/visitors.ts'
import { createHold } from './operations/restores/hold.ts'
import { logSystemEvents } from './operations/telemetry/system-event-log.ts'
import { dashboardUrl, firstLink } from './oversight/sessions/links.ts'
import { findTenantByName } from './oversight/tenants/tenants.ts'
import { type Config, hasPlayground } from './platform/config/config.ts'
import type { Role } from './platform/config/settings.ts'
import { createListener, DUE, INBOX, REPLIED } from './platform/database/listener.ts'
import { migrateUp } from './platform/database/migrate.ts'
import { createPool, type Pool } from './platform/database/pool.ts'
import { refuseUnpreparedPooler } from './platform/database/pooler.ts'
import { type Database, openDatabase } from './platform/embedded-database/open.ts'
import { announceRunning } from './platform/processes/running-carillon.ts'
import type { Service } from './platform/queue/service.ts'
import { createWake } from './platform/queue/wake.ts'
import { shareZoneRules } from './platform/time/zone-rules.ts'
import { runOutside } from './platform/tracing/active-span.ts'
import { startApi } from './roles/api.ts'
import { createDelivery } from './roles/delivery.ts'
import { createDispatch } from './roles/dispatch.ts'
import { createFanout } from './roles/fanout.ts'
import { keepFirstKey } from './roles/first-key.ts'
import { startHealth } from './roles/health.ts'
import { createIngestRole } from './roles/ingest.ts'
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
  /** A link that opens the playground of the first tenant; undefined where there is none. */
  playgroundUrl: string | undefined
  /** The dashboard; as long as nobody has an account, with a link that makes the first owner. */
  dashboardUrl: string | undefined
  /** Resolves when something essential has failed and cannot be restarted. */
  failed: Promise<Error>
  stop(): Promise<void>
}

export async function startCarillon(options: StartOptions): Promise<Carillon> {
  const { config, log } = options
  const database = await openDatabase(config, line => log.info(line))
  const failed = new Promise<Error>(resolve => database.onLost(reason => resolve(new Error(reason))))
  // A connection outlives the request that it was opened for.
  const onError = (error: Error) =>
    runOutside(() => log.warn({ reason: error.message }, 'lost a database connection'))
  const isPooler = config.CARILLON_POOLER_URL !== ''
  const pool = createPool(isPooler ? config.CARILLON_POOLER_URL : database.url, {
    isPooler,
    max: config.CARILLON_DATABASE_POOL,
    timeoutMs: config.CARILLON_DATABASE_TIMEOUT_SECONDS * 1000,
    onError,
  })
  const patientPool = createPool(database.url, { ...PATIENT, onError })
  const endPools = () => Promise.all([pool.end(), patientPool.end()])
  try {
    if (isPooler) await refuseUnpreparedPooler(pool, database.url)
    await migrateUp(database.ownerUrl, line => log.info({ migration: line }, 'migrated'))
    await agreeOnTimeZones(pool, log)
    const firstKey = await keepFirstKey(config, pool)
    const running = await startRoles(options, { pool, patientPool }, database)
    const withdraw = announce(config, running)
    return {
      url: running.url,
      healthUrl: running.healthUrl,
      firstKey,
      databaseNote: database.note,
      playgroundUrl: await linkToPlayground(config, pool, running),
      dashboardUrl: await linkToDashboard(pool, running),
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

async function linkToPlayground(
  config: Config,
  pool: Pool,
  { url, keyring }: Running,
): Promise<string | undefined> {
  const tenant = hasPlayground(config) ? await findTenantByName(pool, undefined) : undefined
  if (url === undefined || tenant === undefined) return undefined
  return playgroundLink(keyring, url, tenant.id, Date.now())
}

async function linkToDashboard(pool: Pool, { url, keyring }: Running): Promise<string | undefined> {
  if (url === undefined) return undefined
  return (await firstLink(pool, keyring, url, Date.now())) ?? dashboardUrl(url)
}

/** Processes without the API that share a data folder leave it to the one that has it, unless they own its database. */
function announce(config: Config, { localUrl, keyring }: Running): () => void {
  if (localUrl === undefined && config.DATABASE_URL !== '') return () => {}
  return announceRunning(config.dataDir, { url: localUrl ?? null, master_key_ids: keyring.ids })
}

/**
 * For what counts and deletes millions of rows and nobody waits for. It looks every few seconds, so it gives its connections
 * back at once: of a server that has few, it would keep them from those who send.
 */
const PATIENT = { max: 2, timeoutMs: 600_000, idleMs: 100 }
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
  ingest: createIngestRole,
  fanout: createFanout,
  delivery: createDelivery,
  dispatch: createDispatch,
  maintenance: createMaintenance,
}

/** The process that owns the embedded server backs it up, whatever its roles. */
function backUp({ config, patientPool, log, metrics, onError }: Shared, database: Database): Service[] {
  const { ownerUrl, cluster } = database
  if (config.backupDir === undefined || cluster === undefined) return []
  return [
    createBackupSchedule({
      config,
      server: { ownerUrl, cluster },
      pool: patientPool,
      wake: createWake(),
      now: () => new Date(),
      onMade: ({ backup: { id, bytes, stored_bytes }, expired }) =>
        log.info({ backup: id, bytes, stored_bytes, deleted: expired }, 'made a full backup'),
      onState: metrics.backedUp,
      onError: onError('backups'),
    }),
  ]
}

/**
 * All of them wait: what they do reaches people and other systems, takes entries out of streams for good, or would delete and
 * complain about what waits.
 */
function holdAfterRestore({ pool, log, onError }: Shared, services: Service[]): Service {
  return createHold({
    pool,
    wake: createWake(),
    services,
    onHeld: () =>
      log.warn(
        'this instance was restored from a backup and sends nothing until somebody decides: carillon restore status',
      ),
    onReleased: () => log.info('this instance is no longer held back'),
    onError: onError('restore hold'),
  })
}

type Running = Awaited<ReturnType<typeof startRoles>>

async function startRoles(
  { config, roles, log }: StartOptions,
  pools: { pool: Pool; patientPool: Pool },
  database: Database,
) {
  const shared = await createShared({ config, roles, log, ...pools })
  const endLog = logSystemEvents(log)
  const workers = (Object.keys(WORKERS) as (keyof typeof WORKERS)[]).filter(role => roles.includes(role))
  const services = [
    ...backUp(shared, database),
    holdAfterRestore(
      shared,
      workers.flatMap(role => WORKERS[role](shared)),
    ),
  ]
  // Without its port nothing runs, and what is shared must not go on alone.
  const withdraw = async (error: unknown) => {
    endLog()
    await shared.close()
    throw error
  }
  const api = roles.includes('api') ? await startApi(shared).catch(withdraw) : undefined
  const needsHealth = api === undefined || config.CARILLON_HEALTH_PORT !== undefined
  const health = needsHealth ? await startHealth(shared) : undefined
  const listener = createListener(database.url, {
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
