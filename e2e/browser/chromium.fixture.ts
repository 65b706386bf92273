/** A real browser for the tests of a file: that of CHROME_PATH, or the one that npm installed. */
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, chromium as engine, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'

/** Nothing in it may look for the network by itself. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface TestBrowser {
  /** A page with cookies and storage of its own; it is closed with the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
  /** Mistakes in pages: what they threw, and what the console called an error. */
  readonly mistakes: string[]
}

export function useChromium(): TestBrowser {
  let browser: Browser
  let mistakes: string[] = []
  const opened: { close(): Promise<void> }[] = []

  beforeAll(async () => {
    const executablePath = process.env.CHROME_PATH || (await chromium.executablePath())
    browser = await engine.launch({ executablePath, args: QUIET, headless: true })
  }, 60_000)
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close()
    mistakes = []
  })

  return {
    get mistakes() {
      return mistakes
    },
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      opened.push(context)
      const page = await context.newPage()
      page.on('pageerror', error => mistakes.push(String(error)))
      page.on('console', message => {
        if (message.type() === 'error') mistakes.push(message.text())
      })
      await page.goto(url)
      return page
    },
  }
}
