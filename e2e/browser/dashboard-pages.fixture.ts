/** What is wrong with pages of the dashboard, on a tenant that has some of everything. */
import { readFileSync } from 'node:fs'
import { type Client, createClient, type KeyRole } from '@carillon/sdk'
import type { Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import { seriousViolations } from './axe.fixture.ts'
import type { TestBrowser } from './chromium.fixture.ts'
import type { Dashboard } from './dashboard.fixture.ts'
import { fillDashboard } from './dashboard-content.fixture.ts'

/** As the dashboard lists them, so that a new page cannot be forgotten. */
const source = readFileSync(new URL('../../dashboard/src/app/pages.ts', import.meta.url), 'utf8')
export const PATHS = [...source.matchAll(/^ {4}path: '(.+)'/gm)].map(([, path]) => path!)
export const WITHOUT_SUBJECT = PATHS.filter(path => !path.includes('$'))

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 375, height: 812 }
interface FindOptions {
  /** Looks at the colours of the dark theme and at nothing else. */
  isDark?: true
  /** Of each table only so many rows: the colours of all take longer than everything else together. */
  rows?: number
  /** Goes from page to page in one document, as a click does. That is several times as fast as loading each page. */
  isInPlace?: true
}

export interface PageFaults {
  /** In the tenant that has some of everything. */
  openAs(role: KeyRole): Promise<Page>
  /** Each fault as text that says where. */
  find(page: Page, paths: string[], options?: FindOptions): Promise<string[]>
}

export function usePageFaults(browser: TestBrowser, dashboard: Dashboard): PageFaults {
  let demo: Client
  let params: Awaited<ReturnType<typeof fillDashboard>>
  beforeAll(async () => {
    const { api_key } = JSON.parse(await dashboard.run('demo', '--json', '--days', '3', '--per-day', '60'))
    demo = createClient({ url: dashboard.url, apiKey: api_key })
    params = await fillDashboard(demo)
  })

  /** `/kv/$collection` of something that is there. */
  function addressOf(path: string): string {
    const parents = Object.keys(params).filter(parent => path.startsWith(`${parent}/`))
    const values = params[parents[0] ?? ''] ?? {}
    return path.replace(/\$(\w+)/g, (_, name) => {
      if (values[name] === undefined) throw new Error(`${path}: nothing is known for $${name}`)
      return encodeURIComponent(values[name])
    })
  }

  async function faultsOf(
    page: Page,
    path: string,
    { isDark, rows, isInPlace }: FindOptions,
  ): Promise<string[]> {
    const faults: string[] = []
    const logged = browser.mistakes.length
    const address = `${dashboard.url}/dashboard${addressOf(path)}`
    await (isInPlace ? leaveFor(page, address) : page.goto(address))
    await isLoaded(page).catch(async () =>
      faults.push('is not ready', await page.locator('body').innerText()),
    )
    const alerts = await page.getByRole('alert').allTextContents()
    const isRefused = alerts.some(text => text.startsWith('You may not see this'))
    if (!isRefused) faults.push(...alerts)
    faults.push(
      ...(await seriousViolations(page, {
        without: ['iframe', ...(rows === undefined ? [] : [`tbody tr:nth-child(n + ${rows + 1})`])],
        ...(isDark && { only: ['color-contrast'] }),
      })),
    )
    if (isDark === undefined) faults.push(...(await faultsOnPhone(page)))
    faults.push(...browser.mistakes.slice(logged).filter(text => !(isRefused && text.includes('403'))))
    return faults.map(fault => `${path}: ${fault}`)
  }

  return {
    // Colours that are on their way to others would be judged halfway.
    openAs: role => dashboard.openAs(role, '/', { client: demo, reducedMotion: 'reduce' }),
    async find(page, paths, options = {}) {
      await page.emulateMedia({ colorScheme: options.isDark ? 'dark' : 'light' })
      const faults: string[] = []
      for (const path of paths) faults.push(...(await faultsOf(page, path, options)))
      return faults
    },
  }
}

/** The page that was there stays until the next one's script is loaded, so the address alone says nothing. */
async function leaveFor(page: Page, address: string): Promise<void> {
  if (page.url() === address) return
  const heading = await page.waitForSelector('main h1')
  await page.evaluate(to => history.pushState(null, '', to), address)
  await page.waitForFunction(left => !left.isConnected, heading, { timeout: 15_000, polling: 50 })
}

async function isLoaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null &&
      document.querySelector('main :is([aria-busy="true"], [aria-label="Loading"], .animate-pulse)') === null,
    undefined,
    // Not with every frame, which the browser would have to draw.
    { timeout: 15_000, polling: 50 },
  )
}

async function faultsOnPhone(page: Page): Promise<string[]> {
  await page.setViewportSize(PHONE)
  const faults = await page.evaluate(() => {
    const isTooWide = document.documentElement.scrollWidth > innerWidth
    // Tables are as wide as their card; what is wider is cut.
    const isTableCut = [...document.querySelectorAll('main table')].some(
      table => table.getBoundingClientRect().right > table.parentElement!.getBoundingClientRect().right + 1,
    )
    return [
      ...(isTooWide ? ['wider than a phone'] : []),
      ...(isTableCut ? ['a table is cut on a phone'] : []),
    ]
  })
  await page.setViewportSize(WIDE)
  return faults
}
