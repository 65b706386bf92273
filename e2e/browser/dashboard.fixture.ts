/** The dashboard, with people who are signed in to it. Each test file has a tenant of its own. */
import { type Client, createClient, type KeyRole } from '@carillon/sdk'
import type pg from 'pg'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import type { TestBrowser } from './chromium.fixture.ts'
import { type Instance, sharedInstance } from './instance.fixture.ts'

export interface OpenOptions extends BrowserContextOptions {
  /** Of another tenant. */
  client?: Client
}

export interface Dashboard {
  readonly url: string
  /** The name of the file's tenant. */
  readonly tenant: string
  /** As the application that sends. */
  connect(): Client
  /** A client of the instance's operator. */
  readonly operator: Client
  readonly pool: pg.Pool
  /** Runs a command of the same instance and answers what it printed. */
  run(...args: string[]): Promise<string>
  /** Opens a page of the dashboard as the person with this role, in the file's tenant unless the client is of another. */
  openAs(role: KeyRole, path?: string, options?: OpenOptions): Promise<Page>
  /** Makes the person with this role in the file's tenant a member of another, with the same role. */
  join(client: Client, role: KeyRole): Promise<void>
}

type Session = { name: string; value: string }

export const PASSWORD = 'correct horse battery staple'

let tenants = 0

export function useDashboard(browser: TestBrowser): Dashboard {
  const tenant = `dashboard-${++tenants}`
  const sessions = new Map<string, Promise<Session>>()
  let instance: Instance
  let own: Client

  beforeAll(async () => {
    instance = await sharedInstance()
    const { api_key } = await instance.client.tenants.create({ name: tenant })
    own = createClient({ url: instance.url, apiKey: api_key.key })
    await own.tenant.update({ accept_unknown_types: true })
  })

  /** Joins by an invitation, as a browser would: commands and pages that sign in have tests of their own. */
  async function signIn(client: Client, email: string, role: KeyRole): Promise<Session> {
    const invitation = await client.invitations.create({ email, role })
    const answer = await fetch(`${instance.url}/v1/invitations/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: invitation.url.split('#invitation=')[1], password: PASSWORD }),
    })
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? []
    if (value === undefined) throw new Error(`${email} cannot join: ${await answer.text()}`)
    return { name: name!, value }
  }

  return {
    get url() {
      return instance.url
    },
    tenant,
    connect: () => own,
    get operator() {
      return instance.client
    },
    get pool() {
      return instance.database.pool
    },
    run: (...args) => instance.run(...args),
    async openAs(role, path = '/', { client = own, ...options } = {}) {
      const { name } = client === own ? { name: tenant } : await client.tenant.get()
      const email = `${role}@${name}.example`
      if (!sessions.has(email)) sessions.set(email, signIn(client, email, role))
      const cookie = { ...(await sessions.get(email)!), domain: '127.0.0.1', path: '/' }
      const page = await browser.open(`${instance.url}/dashboard${path}`, {
        viewport: { width: 1440, height: 900 },
        // That of the machine may be one that no person has, such as en-US@posix.
        locale: 'en-GB',
        storageState: {
          cookies: [{ ...cookie, expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' }],
          origins: [],
        },
        ...options,
      })
      await page.getByRole('navigation', { name: 'Where you are' }).waitFor()
      return page
    },
    async join(client, role) {
      await signIn(client, `${role}@${tenant}.example`, role)
    },
  }
}
