/** The routes that read inboxes, in a process of their own. */
import type { AddressInfo } from 'node:net'
import { inboxRoutes } from '../../../server/dist/inbox/notifications/routes.js'
import { createKeyDirectory } from '../../../server/dist/oversight/api-keys/api-keys.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createHttpServer } from '../../../server/dist/platform/http/server.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'

await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = createPool(databaseUrl)
  const keys = createKeyDirectory(pool, Date.now)
  const api = await createHttpServer({ log, authenticate: key => keys.authenticate(key) })
  inboxRoutes(api, pool)
  await api.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.server.address() as AddressInfo
  return {
    answer: async () => ({ url: `http://127.0.0.1:${port}` }),
    async stop() {
      await api.close()
      await pool.end()
    },
  }
})
