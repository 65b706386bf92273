/** The dashboard of a whole process, with people who may sign in to it. One process and one database for the tests of a file. */
import { type Client, createClient, type KeyRole } from '@carillon/sdk'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/test/database.ts'
import { freePort } from '../../server/test/free-port.ts'
import { type CarillonProcess, runCarillon, type Settings } from '../carillon-process.ts'
import { type DataFolder, makeDataFolder } from '../data-folder.ts'
import type { TestBrowser } from './chromium.fixture.ts'

export interface OpenOptions extends BrowserContextOptions {
  tenant?: string
}

export interface Dashboard {
  readonly url: string
  /** As the application that sends. */
  connect(): Client
  /** Runs a command of the same instance and answers what it printed. */
  run(...args: string[]): Promise<string>
  /** Opens a page of the dashboard as somebody new with this role, in the first tenant unless another is named. */
  openAs(role: KeyRole, path?: string, options?: OpenOptions): Promise<Page>
}

export function useDashboard(browser: TestBrowser, more: Settings = {}): Dashboard {
  let database: TestDatabase
  let folder: DataFolder
  let carillon: CarillonProcess
  let settings: Settings
  let url: string
  let people = 0

  beforeAll(async () => {
    database = await createTestDatabase()
    folder = makeDataFolder(inject('scratchDir'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    settings = { PORT: String(port), DATABASE_URL: database.url, CARILLON_DATA_DIR: folder.path, ...more }
    carillon = runCarillon(['start'], settings)
    await carillon.ready(url)
  })
  afterAll(async () => {
    await carillon?.end('SIGKILL')
    await database?.drop()
    await folder?.remove()
  })

  const run = async (...args: string[]) => {
    const command = runCarillon(args, settings)
    const { code } = await command.exited
    if (code !== 0) throw new Error(command.stderr)
    return command.stdout.trim()
  }

  return {
    get url() {
      return url
    },
    connect: () => createClient({ url, apiKey: folder.apiKey() }),
    run,
    async openAs(role, path = '/', { tenant, ...options } = {}) {
      people++
      const place = tenant === undefined ? [] : ['--tenant', tenant]
      const link = await run('accounts', 'create', `${role}-${people}@example.com`, '--role', role, ...place)
      const page = await browser.open(link, {
        viewport: { width: 1440, height: 900 },
        // That of the machine may be one that no person has, such as en-US@posix.
        locale: 'en-GB',
        ...options,
      })
      await page.getByRole('button', { name: 'Later' }).click()
      await page.getByRole('navigation', { name: 'Where you are' }).waitFor()
      if (path !== '/') await page.goto(`${url}/dashboard${path}`)
      return page
    },
  }
}
