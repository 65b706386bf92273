/** The role ingest in its own process: reads a stream that is full to its end. */
import { createIngest } from '../../../server/dist/intake/streams/ingest.js'
import { loadConfig } from '../../../server/dist/platform/config/config.js'
import { createHinter } from '../../../server/dist/platform/database/listener.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { serveParent } from '../child.ts'

interface Order {
  setting: object
  count: number
}

await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = createPool(databaseUrl)
  const hinter = createHinter(pool)
  return {
    /** How many seconds it took. */
    async answer({ setting, count }: Order): Promise<number> {
      let accepted = 0
      const startMs = performance.now()
      let resolve: (seconds: number) => void = () => {}
      let reject: (error: unknown) => void = () => {}
      const read = new Promise<number>((onRead, onFailure) => {
        resolve = onRead
        reject = onFailure
      })
      const services = createIngest({
        pool,
        settings: loadConfig({ CARILLON_STREAMS: JSON.stringify([setting]) }).CARILLON_STREAMS,
        owner: 'bench',
        leaseMs: 30_000,
        shutdownMs: 1000,
        statements: 3,
        onAccepted: () => hinter.hint(),
        onBatch: () => {},
        onSettled(_stream, as, settled) {
          if (as !== 'accepted') reject(new Error(`An entry was ${as}`))
          accepted += settled
          if (accepted === count) resolve((performance.now() - startMs) / 1000)
        },
        onTrimmed: () => {},
        onMissingTenant: () => {},
        onError: () => error => reject(error),
      })
      for (const service of services) await service.start()
      try {
        return await read
      } finally {
        await Promise.all(services.map(service => service.stop()))
      }
    },
    stop: () => pool.end(),
  }
})
