/** A whole Carillon as `carillon start` runs it, in its own process. */
import { startCarillon } from '../../../server/dist/app.js'
import { loadConfig } from '../../../server/dist/platform/config/config.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'

interface Input {
  databaseUrl: string
  providerUrl: string
  dataDir: string
}

await serveParent(async ({ databaseUrl, providerUrl, dataDir }: Input) => {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    CARILLON_DATA_DIR: dataDir,
    CARILLON_PROVIDERS: 'email=http',
    CARILLON_HTTP_PROVIDER_URL: providerUrl,
  })
  const carillon = await startCarillon({ config, roles: config.CARILLON_ROLES, log })
  return {
    answer: async () => ({ url: carillon.url, key: carillon.firstKey }),
    stop: () => carillon.stop(),
  }
})
