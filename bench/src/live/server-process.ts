/** A whole Carillon as `carillon start` runs it, in its own process; also says how much memory it uses. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startCarillon } from '../../../server/dist/app.js'
import { loadConfig } from '../../../server/dist/platform/config/config.js'
import { serveParent } from '../child.ts'
import { log } from '../quiet-log.ts'

interface Input {
  databaseUrl: string
  dataDir: string
}

export interface Memory {
  rss: number
  heap: number
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

await serveParent(async ({ databaseUrl, dataDir }: Input) => {
  const config = loadConfig({ DATABASE_URL: databaseUrl, PORT: '0', CARILLON_DATA_DIR: dataDir })
  const carillon = await startCarillon({ config, roles: config.CARILLON_ROLES, log })
  return {
    async answer(question: 'address' | 'memory') {
      if (question === 'address') return { url: carillon.url, key: carillon.firstKey }
      collectGarbage()
      const { rss, heapUsed, external } = process.memoryUsage()
      return { rss, heap: heapUsed + external } satisfies Memory
    },
    stop: () => carillon.stop(),
  }
})
