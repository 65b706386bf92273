/**
 * A running Carillon and a product that has it on its pages. The test files of a process share them, and they end with it;
 * each test is about another person.
 */
import { type Client, createClient } from '@carillon/sdk'
import type pg from 'pg'
import { beforeAll, beforeEach, inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/test/database.ts'
import { freePort } from '../../server/test/free-port.ts'
import { runCarillon } from '../carillon-process.ts'
import { makeDataFolder } from '../data-folder.ts'
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

interface Running {
  database: TestDatabase
  url: string
  client: Client
  product: Product
}

let running: Promise<Running> | undefined
let people = 0

async function start(): Promise<Running> {
  const database = await createTestDatabase()
  const folder = makeDataFolder(inject('scratchDir'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const carillon = runCarillon(['start', '--roles', 'api,delivery,fanout'], {
    PORT: String(port),
    DATABASE_URL: database.url,
    CARILLON_DATA_DIR: folder.path,
  })
  await carillon.announced()
  const client = createClient({ url, apiKey: folder.apiKey() })
  return { database, url, client, product: await startProduct(url, client) }
}

export function useSite(): Site {
  let database: TestDatabase
  let url: string
  let client: Client
  let product: Product
  const person = () => `person-${people}`

  beforeAll(async () => {
    running ??= start()
    ;({ database, url, client, product } = await running)
  }, 90_000)
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
      return product
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
