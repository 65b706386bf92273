/** Whole processes of Carillon for the tests of a file: one database, and a receiver and an address per test. */
import { type Client, createClient } from '@carillon/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../server/test/database.ts'
import { freePort } from '../server/test/free-port.ts'
import { type HttpReceiver, startHttpReceiver } from '../server/test/receivers/http-receiver.ts'
import { type CarillonProcess, runCarillon, type Settings } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'

export interface Processes {
  readonly url: string
  /** For commands on the same instance. */
  readonly settings: Settings
  readonly database: TestDatabase
  readonly receiver: HttpReceiver
  /** Resolves when the process has printed its banner; it ends with the test. `program` is that of another version. */
  start(roles: string, more?: Settings, program?: string): Promise<CarillonProcess>
  apiKey(): string
  connect(): Client
}

/** `settingsFor` adds what this file's processes need besides port, database and data folder. */
export function useProcesses(settingsFor: (receiver: HttpReceiver) => Settings): Processes {
  let database: TestDatabase
  let folder: DataFolder
  let receiver: HttpReceiver
  let url: string
  let settings: Settings
  let running: CarillonProcess[]

  beforeAll(async () => {
    database = await createTestDatabase()
    folder = makeDataFolder(inject('scratchDir'))
  })
  afterAll(async () => {
    await database.drop()
    await folder.remove()
  })
  beforeEach(async () => {
    receiver = await startHttpReceiver()
    running = []
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const common = { PORT: String(port), DATABASE_URL: database.url, CARILLON_DATA_DIR: folder.path }
    settings = { ...common, ...settingsFor(receiver) }
  })
  afterEach(async () => {
    for (const carillon of running) await carillon.end('SIGKILL')
    await receiver.stop()
  })

  return {
    get url() {
      return url
    },
    get settings() {
      return settings
    },
    get database() {
      return database
    },
    get receiver() {
      return receiver
    },
    async start(roles, more = {}, program) {
      const carillon = runCarillon(['start', '--roles', roles], { ...settings, ...more }, program)
      running.push(carillon)
      await carillon.announced()
      return carillon
    },
    apiKey: () => folder.apiKey(),
    connect: () => createClient({ url, apiKey: folder.apiKey() }),
  }
}
