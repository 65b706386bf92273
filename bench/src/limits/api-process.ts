/** Intake with limits in its own process; whether a caller has a limit is a setting of the tenant. */
import type { AddressInfo } from 'node:net'
import { createAcceptor } from '../../../server/dist/intake/intents/accept.js'
import { intakeRoutes } from '../../../server/dist/intake/intents/routes.js'
import { createKeyDirectory } from '../../../server/dist/oversight/api-keys/api-keys.js'
import { createLimits } from '../../../server/dist/oversight/limits/limits.js'
import { createRequestLimit } from '../../../server/dist/oversight/limits/routes.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createHttpServer } from '../../../server/dist/platform/http/server.js'
import { serveParent } from '../child.ts'
import { notMeasured } from '../not-measured.ts'
import { log } from '../quiet-log.ts'

await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = createPool(databaseUrl)
  const keys = createKeyDirectory(pool, Date.now)
  const limits = createLimits({ db: pool, redisUrl: '', onRedisLost: () => {}, onRedisBack: () => {} })
  const acceptor = createAcceptor({ pool, onAccepted: () => {}, onBatch: () => {} })
  const api = await createHttpServer({
    log,
    authenticate: key => keys.authenticate(key),
    admit: createRequestLimit(limits.limiter),
  })
  intakeRoutes(api, pool, acceptor, { simulate: notMeasured, limiter: limits.limiter })
  await api.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.server.address() as AddressInfo
  return {
    async answer() {
      const { user, system } = process.cpuUsage()
      return { url: `http://127.0.0.1:${port}`, cpu_ms: (user + system) / 1000 }
    },
    async stop() {
      await api.close()
      await acceptor.drained()
      await pool.end()
    },
  }
})
