/** The whole HTTP API as `carillon start` runs it, without the roles that would send what is pending. */
import { startCarillon } from '../../../server/dist/app.js'
import { loadConfig } from '../../../server/dist/platform/config/config.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'

interface Input {
  databaseUrl: string
  dataDir: string
}

await serveParent(async ({ databaseUrl, dataDir }: Input) => {
  const config = loadConfig({ DATABASE_URL: databaseUrl, PORT: '0', CARILLON_DATA_DIR: dataDir })
  const carillon = await startCarillon({ config, roles: ['api'], log })
  return {
    answer: async () => ({ url: carillon.url }),
    stop: () => carillon.stop(),
  }
})
