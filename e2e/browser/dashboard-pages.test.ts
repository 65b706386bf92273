import { readFileSync } from 'node:fs'
import { createClient } from '@carillon/sdk'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { seriousViolations } from './axe.fixture.ts'
import { useChromium } from './chromium.fixture.ts'
import { useDashboard } from './dashboard.fixture.ts'
import { fillDashboard } from './dashboard-content.fixture.ts'

// A whole process and a browser, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

const browser = useChromium()
const dashboard = useDashboard(browser)

/** As the dashboard lists them, so that a new page cannot be forgotten. */
const source = readFileSync(new URL('../../dashboard/src/app/pages.ts', import.meta.url), 'utf8')
const PATHS = [...source.matchAll(/^ {4}path: '(.+)'/gm)].map(([, path]) => path!)
const WITHOUT_SUBJECT = PATHS.filter(path => !path.includes('$'))

let params: Awaited<ReturnType<typeof fillDashboard>>

beforeAll(async () => {
  const { api_key } = JSON.parse(await dashboard.run('demo', '--json', '--days', '3', '--per-day', '60'))
  params = await fillDashboard(createClient({ url: dashboard.url, apiKey: api_key }))
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

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${dashboard.url}/dashboard${addressOf(path)}`)
  await page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null &&
      document.querySelector('main :is([aria-busy="true"], [aria-label="Loading"], .animate-pulse)') === null,
    undefined,
    { timeout: 15_000 },
  )
}

const isTooWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
/** Tables are as wide as their card; what is wider is cut. */
const isTableCut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main table')].some(
      table => table.getBoundingClientRect().right > table.parentElement!.getBoundingClientRect().right + 1,
    ),
  )
const WIDE = { width: 1440, height: 900 }
/** Colours that are on their way to others would be judged halfway. */
const STILL = { tenant: 'demo', reducedMotion: 'reduce' } as const
const PHONE = { width: 375, height: 812 }

/** What is wrong with each page, as text that says where. */
async function findFaults(page: Page, paths: string[], themes: ('light' | 'dark')[]): Promise<string[]> {
  const faults: string[] = []
  for (const path of paths) {
    const logged = browser.mistakes.length
    await page.setViewportSize(WIDE)
    await page.emulateMedia({ colorScheme: 'light' })
    const say = (...what: string[]) => faults.push(...what.map(each => `${path}: ${each}`))
    await open(page, path).catch(async () => say('is not ready', await page.locator('body').innerText()))
    const alerts = await page.getByRole('alert').allTextContents()
    const isRefused = alerts.some(text => text.startsWith('You may not see this'))
    if (!isRefused) say(...alerts)
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      // Another theme has other colours and nothing else.
      const found = await seriousViolations(
        page,
        ['iframe'],
        colorScheme === 'dark' ? ['color-contrast'] : [],
      )
      say(...found.map(each => `${colorScheme}: ${each}`))
    }
    await page.setViewportSize(PHONE)
    if (await isTooWide(page)) say('wider than a phone')
    if (await isTableCut(page)) say('a table is cut on a phone')
    say(...browser.mistakes.slice(logged).filter(text => !(isRefused && text.includes('403'))))
  }
  return faults
}

test('an owner finds every page readable, in light and in dark and on a phone', async () => {
  expect(PATHS.length).toBeGreaterThan(40)
  const page = await dashboard.openAs('owner', '/', STILL)
  expect(await findFaults(page, PATHS, ['light', 'dark'])).toEqual([])
})

test('a viewer finds every page readable too', async () => {
  const page = await dashboard.openAs('viewer', '/', STILL)
  expect(await findFaults(page, PATHS, ['light'])).toEqual([])
})

test('a tenant in which nothing happened yet has pages that say so', async () => {
  const page = await dashboard.openAs('owner')
  expect(await findFaults(page, WITHOUT_SUBJECT, ['light'])).toEqual([])
})
