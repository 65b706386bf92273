/** A running Carillon and a product that has it on its pages, for all tests of a file; each test is about another person. */
import { type Client, createClient } from '@carillon/sdk'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/test/database.ts'
import { freePort } from '../../server/test/free-port.ts'
import { type CarillonProcess, runCarillon } from '../carillon-process.ts'
import { type DataFolder, makeDataFolder } from '../data-folder.ts'
import { type Product, startProduct } from './product.fixture.ts'

export interface Site {
  /** Of Carillon. */
  readonly url: string
  readonly client: Client
  readonly product: Product
  readonly pool: pg.Pool
  /** Whom the test is about. */
  readonly person: string
  /** Sends the person a notification for the inbox. */
  send(title: string, more?: object): Promise<void>
}

export function useSite(): Site {
  let database: TestDatabase
  let folder: DataFolder
  let carillon: CarillonProcess | undefined
  let url: string
  let client: Client
  let product: Product | undefined
  let people = 0
  const person = () => `person-${people}`

  beforeAll(async () => {
    database = await createTestDatabase()
    folder = makeDataFolder(inject('scratchDir'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    carillon = runCarillon(['start', '--roles', 'api,delivery,fanout'], {
      PORT: String(port),
      DATABASE_URL: database.url,
      CARILLON_DATA_DIR: folder.path,
    })
    await carillon.announced()
    client = createClient({ url, apiKey: folder.apiKey() })
    product = await startProduct(url, client)
  }, 90_000)
  afterAll(async () => {
    await product?.stop()
    await carillon?.end('SIGKILL')
    await database?.drop()
    await folder?.remove()
  })
  beforeEach(async () => {
    people++
    await client.users.put(person(), {})
  })

  return {
    get url() {
      return url
    },
    get client() {
      return client
    },
    get product() {
      return product!
    },
    get pool() {
      return database.pool
    },
    get person() {
      return person()
    },
    async send(title, more = {}) {
      const audience = { kind: 'users' as const, user_ids: [person()] }
      const payload = { title, url: '/elsewhere' }
      await client.intents.send({
        notification_type: 'hello',
        channels: ['in_app'],
        audience,
        payload,
        ...more,
      })
    },
  }
}
