/**
 * A running Carillon. The browser tests of a process share one, since starting it takes longer than most of them; it ends
 * with that process. What has to be alone gets a tenant or a person of its own.
 */
import { type Client, createClient } from '@carillon/sdk'
import { inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/test/database.ts'
import { freePort } from '../../server/test/free-port.ts'
import { runCarillon, type Settings } from '../carillon-process.ts'
import { makeDataFolder } from '../data-folder.ts'

export interface Instance {
  readonly url: string
  readonly database: TestDatabase
  /** Of the first tenant, with the key that may do everything to the instance. */
  readonly client: Client
  /** Runs a command of the same instance and answers what it printed. */
  run(...args: string[]): Promise<string>
}

let running: Promise<Instance> | undefined

export const sharedInstance = (): Promise<Instance> => (running ??= start())

async function start(): Promise<Instance> {
  const database = await createTestDatabase()
  const folder = makeDataFolder(inject('scratchDir'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings: Settings = {
    PORT: String(port),
    DATABASE_URL: database.url,
    CARILLON_DATA_DIR: folder.path,
    // Where the receivers of tests are.
    CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
    // The database is not the embedded one, so it has to be switched on.
    CARILLON_PLAYGROUND: 'on',
  }
  await runCarillon(['start'], settings).announced()
  return {
    url,
    database,
    client: createClient({ url, apiKey: folder.apiKey() }),
    async run(...args) {
      const command = runCarillon(args, settings)
      const { code } = await command.exited
      if (code !== 0) throw new Error(command.stderr)
      return command.stdout.trim()
    },
  }
}
