/**
 * A product that has the inbox of the shared Carillon on its pages. The test files of a process share it too; each test is
 * about another person.
 */
import type { Client } from '@carillon/sdk'
import type pg from 'pg'
import { beforeAll, beforeEach } from 'vitest'
import { type Instance, sharedInstance } from './instance.fixture.ts'
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

let running: Promise<Product> | undefined
let people = 0

export function useSite(): Site {
  let instance: Instance
  let product: Product
  const person = () => `person-${people}`

  beforeAll(async () => {
    instance = await sharedInstance()
    running ??= startProduct(instance.url, instance.client)
    product = await running
  }, 90_000)
  beforeEach(async () => {
    people++
    await instance.client.users.put(person(), {})
  })

  return {
    get url() {
      return instance.url
    },
    get client() {
      return instance.client
    },
    get product() {
      return product
    },
    get pool() {
      return instance.database.pool
    },
    get person() {
      return person()
    },
    async send(title, more = {}) {
      const audience = { kind: 'users' as const, user_ids: [person()] }
      const payload = { title, url: '/elsewhere' }
      await instance.client.intents.send({
        notification_type: 'hello',
        channels: ['in_app'],
        audience,
        payload,
        ...more,
      })
    },
  }
}
